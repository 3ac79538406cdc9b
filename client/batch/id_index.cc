// SPDX-License-Identifier: MIT
#include "client/batch/id_index.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "client/batch/batch_item.h"

namespace filecall::client {
namespace {

constexpr std::size_t kChunkEntries = 32 * 1024;
// No journal and no sync: the file dies with the process, so there is nothing to recover.
constexpr const char* kSetup = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -16384;
PRAGMA locking_mode = EXCLUSIVE;
CREATE TABLE ids(key BLOB PRIMARY KEY, position INTEGER, content INTEGER, derived INTEGER)
  WITHOUT ROWID;
CREATE TABLE repeated(key BLOB PRIMARY KEY, count INTEGER, seen INTEGER DEFAULT 0) WITHOUT ROWID;
BEGIN;
)sql";

}  // namespace

/// The ids as SQLite keeps them.
class IdIndex::Table {
 public:
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Database = std::unique_ptr<sqlite3, CloseDatabase>;
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  explicit Table(Database database) : database_(std::move(database)) {}

  Result<void> prepare() {
    TRY(execute(kSetup));
    TRY(prepare(insert_, "INSERT OR IGNORE INTO ids VALUES(?1,?2,?3,?4)"));
    TRY(prepare(find_, "SELECT position, content, derived FROM ids WHERE key=?1"));
    TRY(prepare(repeat_,
                "INSERT INTO repeated(key, count) VALUES(?1, 2) "
                "ON CONFLICT(key) DO UPDATE SET count = count + 1 RETURNING count"));
    return prepare(see_, "UPDATE repeated SET seen = seen + 1 WHERE key=?1 RETURNING seen");
  }

  Result<void> add(Entry entry, const OnDuplicate& on_duplicate) {
    const Hash128 key = hash128(entry.id);
    chunk_.push_back({key, std::move(entry)});
    if (chunk_.size() < kChunkEntries) return {};
    sort_chunk();
    return flush(on_duplicate);
  }

  Result<void> finish(const OnDuplicate& on_duplicate) {
    sort_chunk();
    const auto is_equal = [](const Keyed& a, const Keyed& b) { return a.key == b.key; };
    const bool is_distinct =
        std::adjacent_find(chunk_.begin(), chunk_.end(), is_equal) == chunk_.end();
    if (has_flushed_ || !is_distinct) return flush(on_duplicate);
    keys_.reserve(chunk_.size());
    for (const Keyed& item : chunk_) keys_.push_back(item.key);
    chunk_ = {};
    return {};
  }

  Result<std::int64_t> next_occurrence(std::string_view derived_id) {
    if (!has_repeated_) return std::int64_t{1};
    bind_key(see_, hash128(derived_id));
    TRY_ASSIGN(const bool found, step(see_));
    const std::int64_t seen = found ? sqlite3_column_int64(see_.get(), 0) : 1;
    sqlite3_reset(see_.get());
    return seen;
  }

  Result<void> rewind() { return execute("UPDATE repeated SET seen = 0"); }

  Result<bool> contains(std::string_view id) {
    const Hash128 key = hash128(id);
    if (!has_flushed_) return std::binary_search(keys_.begin(), keys_.end(), key);
    bind_key(find_, key);
    TRY_ASSIGN(const bool found, step(find_));
    sqlite3_reset(find_.get());
    return found;
  }

 private:
  struct Keyed {
    Hash128 key;
    IdIndex::Entry entry;
  };

  Error database_error() const {
    return {ErrorCode::kResourceExhausted,
            fmt::format("temporary index of request ids: {}; free space in /var/tmp or set "
                        "SQLITE_TMPDIR",
                        sqlite3_errmsg(database_.get()))};
  }
  Result<void> execute(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      return Unexpected(database_error());
    }
    return {};
  }
  Result<void> prepare(Statement& statement, const char* sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) {
      return Unexpected(database_error());
    }
    statement.reset(raw);
    return {};
  }
  static void bind_key(Statement& statement, const Hash128& key) {
    unsigned char bytes[16];
    for (int i = 0; i < 8; ++i) {  // Big-endian: the B-tree's order is the chunk's order.
      bytes[i] = static_cast<unsigned char>(key.high >> (56 - 8 * i));
      bytes[8 + i] = static_cast<unsigned char>(key.low >> (56 - 8 * i));
    }
    sqlite3_bind_blob(statement.get(), 1, bytes, sizeof bytes, SQLITE_TRANSIENT);
  }
  /// True: a row is there; the caller resets. False: done, already reset.
  Result<bool> step(Statement& statement) {
    const int status = sqlite3_step(statement.get());
    if (status == SQLITE_ROW) return true;
    sqlite3_reset(statement.get());
    if (status != SQLITE_DONE) return Unexpected(database_error());
    return false;
  }

  Result<bool> insert(const Hash128& key, const Entry& entry) {
    bind_key(insert_, key);
    sqlite3_bind_int64(insert_.get(), 2, static_cast<sqlite3_int64>(entry.position));
    sqlite3_bind_int64(insert_.get(), 3, static_cast<sqlite3_int64>(entry.content));
    sqlite3_bind_int64(insert_.get(), 4, entry.is_derived ? 1 : 0);
    TRY(step(insert_));
    return sqlite3_changes(database_.get()) == 1;
  }

  /// The id is taken: a derived one gets the next number, a stated one is a duplicate.
  Result<void> resolve(const Keyed& item, std::vector<Duplicate>& duplicates) {
    bind_key(find_, item.key);
    TRY(step(find_));
    Duplicate duplicate{
        item.entry, static_cast<std::uint64_t>(sqlite3_column_int64(find_.get(), 0)),
        static_cast<std::uint64_t>(sqlite3_column_int64(find_.get(), 1)) == item.entry.content};
    const bool both_derived = item.entry.is_derived && sqlite3_column_int(find_.get(), 2) == 1;
    sqlite3_reset(find_.get());
    if (!both_derived || !duplicate.is_same_content) {
      duplicates.push_back(std::move(duplicate));
      return {};
    }
    has_repeated_ = true;
    bind_key(repeat_, item.key);
    TRY(step(repeat_));
    const std::int64_t count = sqlite3_column_int64(repeat_.get(), 0);
    sqlite3_reset(repeat_.get());
    Keyed numbered{{}, item.entry};
    numbered.entry.id = occurrence_id(item.entry.id, count);
    numbered.entry.is_derived = false;  // Nobody else may have the numbered name.
    numbered.key = hash128(numbered.entry.id);
    TRY_ASSIGN(const bool is_new, insert(numbered.key, numbered.entry));
    return is_new ? Result<void>() : resolve(numbered, duplicates);
  }

  void sort_chunk() {
    std::sort(chunk_.begin(), chunk_.end(), [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.entry.position < b.entry.position;
    });
  }

  /// The chunk must be sorted.
  Result<void> flush(const OnDuplicate& on_duplicate) {
    has_flushed_ = true;
    std::vector<Duplicate> duplicates;
    for (const Keyed& item : chunk_) {
      TRY_ASSIGN(const bool is_new, insert(item.key, item.entry));
      if (!is_new) TRY(resolve(item, duplicates));
    }
    chunk_.clear();
    std::sort(duplicates.begin(), duplicates.end(), [](const Duplicate& a, const Duplicate& b) {
      return a.later.position < b.later.position;
    });
    for (const Duplicate& duplicate : duplicates) on_duplicate(duplicate);
    return {};
  }

  Database database_;  // First: statements must be finalized before it is closed.
  Statement insert_, find_, repeat_, see_;
  std::vector<Keyed> chunk_;
  bool has_flushed_ = false;   ///< Ids are in the table.
  std::vector<Hash128> keys_;  ///< Else, when finished: all of one chunk, sorted; none came twice.
  bool has_repeated_ = false;
};

IdIndex::IdIndex(std::unique_ptr<Table> table) : table_(std::move(table)) {}

IdIndex::~IdIndex() = default;

Result<std::unique_ptr<IdIndex>> IdIndex::create() {
  sqlite3* raw = nullptr;
  // An empty name is SQLite's private temporary file, removed by the system on any death.
  const int status = sqlite3_open_v2(
      "", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Table::Database database(raw);
  if (status != SQLITE_OK) {
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("temporary index of request ids: {}", sqlite3_errstr(status)));
  }
  auto table = std::make_unique<Table>(std::move(database));
  TRY(table->prepare());
  return std::unique_ptr<IdIndex>(new IdIndex(std::move(table)));
}

Result<void> IdIndex::add(Entry entry, const OnDuplicate& on_duplicate) {
  return table_->add(std::move(entry), on_duplicate);
}

Result<void> IdIndex::finish(const OnDuplicate& on_duplicate) {
  return table_->finish(on_duplicate);
}

Result<std::int64_t> IdIndex::next_occurrence(std::string_view derived_id) {
  return table_->next_occurrence(derived_id);
}

Result<void> IdIndex::rewind() { return table_->rewind(); }

Result<bool> IdIndex::contains(std::string_view id) { return table_->contains(id); }

}  // namespace filecall::client
