// SPDX-License-Identifier: MIT
#include "client/store/state_schema.h"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <string>

#include "client/store/row_codec.h"

namespace filecall::client {
namespace {

// Migration n brings version n to n + 1. Never edited once released; appended to.
constexpr std::array<const char*, kStateSchemaVersion> kMigrations = {R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('schema_version', '1'), ('about', 'filecall client state; see README');

CREATE TABLE requests (
  request_id      TEXT PRIMARY KEY,
  command         TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('NEW','POLLING','WAITING','SUCCESS','GAVE_UP')),
  attempt         INTEGER NOT NULL,           -- attempts begun
  owner           TEXT,                       -- the client that drives it (client/locks/)
  batch           TEXT,
  content_hash    TEXT,                       -- XXH3-128 of the request file
  cancel          TEXT,                       -- why a cancelled response may come
  error_code      TEXT,                       -- of the latest failed attempt
  error_message   TEXT,
  spent_inode     INTEGER,                    -- the counted error response, to be deleted
  spent_mtime_ns  INTEGER,
  spent_size      INTEGER,
  copied          INTEGER NOT NULL DEFAULT 0, -- the copy in failed/ is complete
  queued_ms       INTEGER NOT NULL DEFAULT 0, -- of the last attempt, by the worker
  run_ms          INTEGER NOT NULL DEFAULT 0,
  submitted_at_ms INTEGER NOT NULL,           -- milliseconds since 1970, UTC
  changed_at_ms   INTEGER NOT NULL,
  due_at_ms       INTEGER,                    -- WAITING: the next attempt
  finished_at_ms  INTEGER,
  collected_at_ms INTEGER,                    -- its files were removed by gc
  control         INTEGER NOT NULL DEFAULT 0  -- the client's own system.cancel requests
) WITHOUT ROWID;
CREATE INDEX open_requests ON requests (request_id) WHERE finished_at_ms IS NULL;
CREATE INDEX uncopied_requests ON requests (request_id) WHERE state = 'GAVE_UP' AND copied = 0;

-- Asked for by another client than the owner, who takes them out.
CREATE TABLE cancel_wishes (
  request_id  TEXT PRIMARY KEY,
  asked_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIEW summary AS
  SELECT state, command, count(*) AS requests, round(avg(attempt), 2) AS attempts,
         round(avg(run_ms)) AS run_ms,
         datetime(min(submitted_at_ms) / 1000, 'unixepoch') AS first_submitted,
         datetime(max(finished_at_ms) / 1000, 'unixepoch') AS last_finished
    FROM requests WHERE control = 0 AND collected_at_ms IS NULL
   GROUP BY state, command;
)sql",
                                                                      R"sql(
-- What a request's answers used up, failed attempts too.
ALTER TABLE requests ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN cost REAL NOT NULL DEFAULT 0;             -- US$
ALTER TABLE requests ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;      -- calls without a price
UPDATE meta SET value = '2' WHERE key = 'schema_version';
)sql",
                                                                      R"sql(
-- Attempts that were answered "come back later": they do not count.
ALTER TABLE requests ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN paused_ms INTEGER NOT NULL DEFAULT 0;  -- of --max-pause
UPDATE meta SET value = '3' WHERE key = 'schema_version';
)sql",
                                                                      R"sql(
-- Attempts that the worker gave back before they began, and when a later run began or resumed it.
ALTER TABLE requests ADD COLUMN given_back INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN asked_at_ms INTEGER;
DROP VIEW summary;
CREATE VIEW summary AS
  SELECT state, command, count(*) AS requests, round(avg(attempt - given_back), 2) AS attempts,
         round(avg(run_ms)) AS run_ms,
         datetime(min(submitted_at_ms) / 1000, 'unixepoch') AS first_submitted,
         datetime(max(finished_at_ms) / 1000, 'unixepoch') AS last_finished
    FROM requests WHERE control = 0 AND collected_at_ms IS NULL
   GROUP BY state, command;
UPDATE meta SET value = '4' WHERE key = 'schema_version';
)sql"};

constexpr const char* kNotOurs = "state database: its tables are not those of its version";

/// The file may be anybody's work: its version alone says nothing.
Result<void> check_tables(Database& database, int version) {
  TRY_ASSIGN(const std::string tables,
             database.query_text("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
                                 " AND name IN ('meta', 'requests', 'cancel_wishes')"));
  if (version < 0 || tables != (version == 0 ? "0" : "3")) {
    return fail(ErrorCode::kDataLoss, kNotOurs);
  }
  return {};
}

Result<void> check_columns(Database& database) {
  std::string names(kRowColumns);
  for (std::size_t at = 0; (at = names.find(", ", at)) != names.npos; at += 4) {
    names.replace(at, 2, "', '");
  }
  TRY_ASSIGN(const std::string columns,
             database.query_text("SELECT count(*) FROM pragma_table_info('requests')"
                                 " WHERE name IN ('" +
                                 names + "')"));
  TRY_ASSIGN(const std::string indexes,
             database.query_text("SELECT count(*) FROM pragma_index_list('requests')"
                                 " WHERE name IN ('open_requests', 'uncopied_requests')"));
  if (columns != std::to_string(kRowColumnCount) || indexes != "2") {
    return fail(ErrorCode::kDataLoss, kNotOurs);
  }
  return {};
}

Result<void> migrate_locked(Database& database) {
  TRY_ASSIGN(const std::string text, database.query_text("PRAGMA user_version"));
  int version = std::atoi(text.c_str());
  if (version > kStateSchemaVersion) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("state database: version {} was written by a newer filecall; upgrade "
                            "this one (it knows version {})",
                            version, kStateSchemaVersion));
  }
  TRY(check_tables(database, version));
  for (; version < kStateSchemaVersion; ++version) {
    TRY(database.execute(kMigrations.at(static_cast<std::size_t>(version))));
    TRY(database.execute(fmt::format("PRAGMA user_version = {}", version + 1)));
  }
  return {};
}

}  // namespace

Result<void> migrate_state_schema(Database& database) {
  TRY_ASSIGN(const std::string text, database.query_text("PRAGMA user_version"));
  if (std::atoi(text.c_str()) == kStateSchemaVersion) {
    TRY(check_tables(database, kStateSchemaVersion));
    return check_columns(database);
  }
  // The version is read again inside: another client may be migrating at this moment.
  TRY(database.execute("BEGIN IMMEDIATE"));
  Result<void> migrated = migrate_locked(database);
  if (!migrated) {
    // The first failure is the one to report.
    (void)database.execute("ROLLBACK");
    return migrated;
  }
  return database.execute("COMMIT");
}

}  // namespace filecall::client
