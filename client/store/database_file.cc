// SPDX-License-Identifier: MIT
#include "client/store/database_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "client/store/state_schema.h"
#include "os/regular_file.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

// Reading every page of a larger file would delay each command (5 ms a MiB); damage deep inside one
// shows when it is reached, and is then looked for when the file is opened the next time.
constexpr off_t kCheckedBytes = 4 * 1024 * 1024;

std::string mark_of(const std::string& path) { return path + ".suspect"; }

bool is_suspect(const std::string& path) { return ::access(mark_of(path).c_str(), F_OK) == 0; }

bool is_small(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size <= kCheckedBytes;
}

Result<Database> open_checked(const std::string& path, Durability durability) {
  TRY_ASSIGN(Database database, Database::open(path));
  TRY(database.distrust_schema());
  TRY(database.query_text("PRAGMA journal_mode = WAL"));
  TRY(database.execute(durability == Durability::kFull   ? "PRAGMA synchronous = FULL"
                       : durability == Durability::kNone ? "PRAGMA synchronous = OFF"
                                                         : "PRAGMA synchronous = NORMAL"));
  TRY(database.execute("PRAGMA wal_autocheckpoint = 4000"));
  TRY(migrate_state_schema(database));
  if (is_small(path) || is_suspect(path)) {
    TRY_ASSIGN(const std::string verdict, database.query_text("PRAGMA quick_check(1)"));
    if (verdict != "ok") return fail(ErrorCode::kDataLoss, "state database: " + verdict);
  }
  return database;
}

Result<std::string> set_aside(const std::string& path, WallTime now) {
  const std::string aside = path + ".damaged-" + format_rfc3339(now);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    if (std::rename((path + suffix).c_str(), (aside + suffix).c_str()) != 0 && errno != ENOENT) {
      return fail_errno(errno, path + suffix);
    }
  }
  return aside;
}

}  // namespace

Result<Database> open_state_database(const std::string& path, Durability durability, WallTime now,
                                     std::vector<std::string>& notices) {
  TRY_ASSIGN(const auto lock, spool::FileLock::acquire(path + ".lock", seconds(30)));
  const auto is_damage = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kDataLoss;
  };
  Result<Database> opened = open_checked(path, durability);
  // SQLite takes a read that failed in the middle of a check for damage. Damage is there twice.
  if (is_damage(opened)) opened = open_checked(path, durability);
  if (opened) ::unlink(mark_of(path).c_str());
  if (!is_damage(opened)) return opened;
  const std::string reason = opened.error().message;
  TRY_ASSIGN(const std::string aside, set_aside(path, now));
  notices.push_back(fmt::format("{}; it was set aside as {} and the state is read from the files",
                                reason, aside));
  ::unlink(mark_of(path).c_str());
  return open_checked(path, durability);
}

void suspect_state_database(const std::string& path) {
  // Without the mark the damage is met again, and reported again.
  (void)open_regular(mark_of(path), O_WRONLY | O_CREAT);
}

}  // namespace filecall::client
