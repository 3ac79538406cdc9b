// SPDX-License-Identifier: MIT
#include "client/store/database_copy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr int kTries = 5;
constexpr std::size_t kLogHeadBytes = 32;  // With the salt that changes when a log begins again.

/// A directory of this process alone, removed with all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code status;
    std::string path = (std::filesystem::temp_directory_path(status) / "filecall-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) return fail_errno(errno, path);
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code status;
    if (!path_.empty()) std::filesystem::remove_all(path_, status);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// What tells whether a file's bytes are the same as before.
struct FileState {
  ino_t inode = 0;
  off_t size = 0;
  timespec mtime{};
  std::string head;
  bool operator==(const FileState& other) const {
    return inode == other.inode && size == other.size && mtime.tv_sec == other.mtime.tv_sec &&
           mtime.tv_nsec == other.mtime.tv_nsec && head == other.head;
  }
};

/// nullopt: there is no such file.
Result<std::optional<FileState>> state_of(const std::string& path, std::size_t head_bytes) {
  const auto fd = open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return std::optional<FileState>();
  if (!fd) return Unexpected(fd.error());
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return fail_errno(errno, path);
  FileState state{info.st_ino, info.st_size, info.st_mtim, {}};
  std::array<char, kLogHeadBytes> head{};
  const ssize_t got = ::pread(fd->get(), head.data(), head_bytes, 0);
  if (got < 0) return fail_errno(errno, path);
  state.head.assign(head.data(), static_cast<std::size_t>(got));
  return std::optional(std::move(state));
}

/// A file of somebody else may say to be of any size, and take no room where it is.
Result<void> check_room(int source, const std::string& to) {
  struct stat info {};
  struct statvfs place {};
  if (::fstat(source, &info) != 0 || ::statvfs(to.substr(0, to.rfind('/')).c_str(), &place) != 0) {
    return fail_errno(errno, to);
  }
  const auto free = static_cast<std::uint64_t>(place.f_bavail) * place.f_frsize;
  if (static_cast<std::uint64_t>(info.st_size) <= free) return {};
  return fail(ErrorCode::kResourceExhausted,
              fmt::format("{}: a copy needs {} bytes, and {} are free; free some, or set TMPDIR to "
                          "a directory with more room",
                          to, info.st_size, free));
}

/// False: there is none.
Result<bool> copy_file(const std::string& from, const std::string& to) {
  const auto source = open_regular(from, O_RDONLY);
  if (!source && source.error().code == ErrorCode::kNotFound) return false;
  if (!source) return Unexpected(source.error());
  TRY(check_room(source->get(), to));
  TRY_ASSIGN(const UniqueFd target, open_file(to, O_WRONLY | O_CREAT | O_TRUNC));
  constexpr std::size_t kChunkBytes = 1 << 20;
  for (;;) {
    const ssize_t copied = ::sendfile(target.get(), source->get(), nullptr, kChunkBytes);
    if (copied == 0) return true;
    if (copied < 0 && errno != EINTR) return fail_errno(errno, to);
  }
}

/// Whether what was copied belongs together. Pages that were moved from the log into the file
/// meanwhile are in the copied log, too, as long as it did not begin again; without a log the file
/// must be the same.
struct Moment {
  std::optional<FileState> file;
  std::optional<FileState> log;

  static Result<Moment> of(const std::string& path) {
    Moment moment;
    TRY_ASSIGN(moment.file, state_of(path, 0));
    TRY_ASSIGN(moment.log, state_of(path + "-wal", kLogHeadBytes));
    return moment;
  }
  bool has_log() const { return log && log->size > 0; }
  bool holds_in(const Moment& after) const {
    if (!file || !after.file || file->inode != after.file->inode) return false;
    if (!has_log()) return !after.has_log() && *file == *after.file;
    return after.has_log() && log->inode == after.log->inode && log->head == after.log->head;
  }
};

}  // namespace

Result<Database> open_database_copy(const std::string& path) {
  TRY_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string copy = folder.path() + "/copy.db";
  for (int i = 0; i < kTries; ++i) {
    TRY_ASSIGN(const Moment before, Moment::of(path));
    TRY_ASSIGN(const bool is_there, copy_file(path, copy));
    if (!is_there) return fail(ErrorCode::kNotFound, path + ": there is none");
    ::unlink((copy + "-wal").c_str());
    TRY_ASSIGN([[maybe_unused]] const bool has_log, copy_file(path + "-wal", copy + "-wal"));
    TRY_ASSIGN(const Moment after, Moment::of(path));
    if (!before.holds_in(after)) continue;
    TRY_ASSIGN(Database database, Database::open(copy));
    // Its owner, who is somebody else, may have written anything into it.
    TRY(database.distrust_schema());
    // The log becomes part of the file, which then needs none of its names any more.
    TRY(database.execute("PRAGMA locking_mode = EXCLUSIVE"));
    TRY(database.query_text("PRAGMA journal_mode = OFF"));
    return database;
  }
  return fail(ErrorCode::kUnavailable,
              path +
                  ": it is written all the time and could not be copied; try again, or look as "
                  "the user who owns it");
}

}  // namespace filecall::client
