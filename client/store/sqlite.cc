// SPDX-License-Identifier: MIT
#include "client/store/sqlite.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/stem.h"

namespace filecall::client {
namespace {

using Filter = std::function<bool(std::string_view)>;

/// nullopt: NULL.
std::optional<std::string_view> text_of(sqlite3_value* value) {
  const auto* bytes = sqlite3_value_text(value);
  if (bytes == nullptr) return std::nullopt;
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return std::string_view(reinterpret_cast<const char*>(bytes), size);
}

/// is_stem(text): whether it may be a request's id.
void answer_is_stem(sqlite3_context* context, int, sqlite3_value** values) {
  const auto text = text_of(values[0]);
  sqlite3_result_int(context, text && is_valid_stem(*text) ? 1 : 0);
}

void answer_filter(sqlite3_context* context, int, sqlite3_value** values) {
  const auto& is_wanted = *static_cast<const Filter*>(sqlite3_user_data(context));
  sqlite3_result_int(context, is_wanted(text_of(values[0]).value_or("")) ? 1 : 0);
}

}  // namespace

namespace {

/// The library says "I/O error" of a file beside the database that could not grow.
bool lacks_space(sqlite3* database) {
  const int reason = sqlite3_system_errno(database);
  if (reason == ENOSPC || reason == EDQUOT) return true;
  if (sqlite3_extended_errcode(database) == SQLITE_IOERR_SHMSIZE) return true;
  // Nor does it always say what the system has said.
  const char* const path = sqlite3_db_filename(database, "main");
  struct statvfs place {};
  return path != nullptr && *path != '\0' && ::statvfs(path, &place) == 0 && place.f_bavail == 0;
}

}  // namespace

Error sqlite_error(sqlite3* database, std::string_view what) {
  ErrorCode code = ErrorCode::kInternal;
  switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      code = ErrorCode::kDataLoss;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      code = ErrorCode::kUnavailable;
      break;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      code = ErrorCode::kResourceExhausted;
      break;
    case SQLITE_IOERR:
      if (lacks_space(database)) code = ErrorCode::kResourceExhausted;
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      code = ErrorCode::kPermissionDenied;
      break;
    default:
      break;
  }
  if (code == ErrorCode::kResourceExhausted) {
    const char* const path = sqlite3_db_filename(database, "main");
    return {code, fmt::format("{}: {}; free some space there, then the same command goes on",
                              path == nullptr || *path == '\0' ? "state database" : path,
                              sqlite3_errmsg(database))};
  }
  return {code, fmt::format("state database: {}: {}", what, sqlite3_errmsg(database))};
}

namespace {

/// Creates the file when there is none: here and not by SQLite, so that its mode does not depend on
/// the umask. Without a descriptor: to close one of a database that this process has open drops
/// SQLite's locks, and the next client that closes the database takes itself for the last one and
/// removes the log under us (https://www.sqlite.org/howtocorrupt.html, 2.2).
Result<void> create_closed(const std::string& path) {
  if (::mknod(path.c_str(), S_IFREG | 0600, 0) != 0 && errno != EEXIST) {
    return fail_errno(errno, path);
  }
  // SQLite follows a link to its log, and would wait for a FIFO's other end.
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    struct stat info {};
    if (::lstat((path + suffix).c_str(), &info) != 0 || S_ISREG(info.st_mode)) continue;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}{}: is no regular file; remove it", path, suffix));
  }
  return {};
}

/// SQLITE_OPEN_NOFOLLOW refuses a link anywhere in the path. A root may be one, or lie below one;
/// its folder client/ and the file are none.
std::string without_links_above(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(folder.parent_path(), error);
  if (error) return path;
  return (root / folder.filename() / std::filesystem::path(path).filename()).string();
}

}  // namespace

void configure_sqlite() {
  // Fails only when SQLite is in use already: it goes on counting then.
  (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, text.data() ? text.data() : "", text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_real(int index, double value) {
  sqlite3_bind_double(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind_or_null(int index, std::string_view text) {
  return text.empty() ? *this : bind(index, text);
}

Statement& Statement::bind_or_null(int index, std::optional<std::int64_t> value) {
  return value ? bind(index, *value) : *this;
}

Result<bool> Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default: {
      Error error = sqlite_error(database_, sqlite3_sql(statement_.get()));
      reset();
      return Unexpected(std::move(error));
    }
  }
}

Result<void> Statement::run() {
  for (;;) {
    TRY_ASSIGN(const bool has_row, step());
    if (!has_row) break;
  }
  reset();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const { return std::string(text_view(column)); }

std::string_view Statement::text_view(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {reinterpret_cast<const char*>(bytes), size};
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::string& given_path) {
  const bool is_file = given_path != ":memory:";
  const std::string path = is_file ? without_links_above(given_path) : given_path;
  if (is_file) TRY(create_closed(path));
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
  Database database(handle);
  if (status != SQLITE_OK) return Unexpected(sqlite_error(handle, path));
  sqlite3_busy_timeout(handle, 10'000);
  // Names of requests become paths, and a file of the database may be anybody's work.
  if (sqlite3_create_function(handle, "is_stem", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                              answer_is_stem, nullptr, nullptr) != SQLITE_OK) {
    return Unexpected(sqlite_error(handle, path));
  }
  return database;
}

Result<void> Database::distrust_schema() {
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}}) {
    if (sqlite3_db_config(database_.get(), option, value, nullptr) != SQLITE_OK) {
      return Unexpected(sqlite_error(database_.get(), "configuration"));
    }
  }
  return {};
}

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Unexpected(sqlite_error(database_.get(), sql.substr(0, 60)));
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return Unexpected(sqlite_error(database_.get(), sql));
  }
  return Statement(database_.get(), statement);
}

Result<std::string> Database::query_text(std::string_view sql) {
  TRY_ASSIGN(Statement statement, prepare(sql));
  TRY_ASSIGN(const bool has_row, statement.step());
  return has_row ? statement.text(0) : std::string();
}

Result<void> Database::add_filter(const char* name,
                                  std::function<bool(std::string_view)> is_wanted) {
  // SQLite destroys it, also when it refuses the function.
  auto* const owned = new Filter(std::move(is_wanted));
  if (sqlite3_create_function_v2(
          database_.get(), name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, owned, answer_filter, nullptr,
          nullptr, [](void* filter) { delete static_cast<Filter*>(filter); }) != SQLITE_OK) {
    return Unexpected(sqlite_error(database_.get(), name));
  }
  return {};
}

}  // namespace filecall::client
