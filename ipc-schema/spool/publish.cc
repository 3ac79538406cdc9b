// SPDX-License-Identifier: MIT
#include "spool/publish.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "os/io.h"
#include "os/process.h"
#include "os/regular_file.h"
#include "os/unique_fd.h"
#include "spool/identify.h"
#include "spool/layout.h"

namespace filecall::spool {
namespace {

Result<UniqueFd> create_file(int directory_fd, const std::string& name, int if_there = O_TRUNC) {
  for (;;) {
    // A temporary's name is random; what lies there all the same must be no FIFO that blocks.
    const int fd =
        ::openat(directory_fd, name.c_str(),
                 O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | if_there, 0600);
    if (fd >= 0) return UniqueFd(fd);
    if (errno != EINTR) return fail_errno(errno, fmt::format("{}: create", name));
  }
}

Result<void> set_time(int fd, std::int64_t mtime_ns, const std::string& name) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  struct timespec times[2] = {{0, UTIME_OMIT}, {mtime_ns / kSecond, mtime_ns % kSecond}};
  if (::futimens(fd, times) == 0) return {};
  return fail_errno(errno, fmt::format("{}: set time", name));
}

/// Syncs and closes what is written; both may be where a full disk is reported.
Result<void> finish_file(UniqueFd fd, const std::string& name, bool sync) {
  // EINTR is a failure like any other here: a second fsync on this descriptor could report success
  // for pages that were dropped.
  if (sync && ::fsync(fd.get()) != 0) return fail_errno(errno, fmt::format("{}: fsync", name));
  // Linux closes the descriptor even when close() is interrupted.
  if (::close(fd.release()) != 0 && errno != EINTR) {
    return fail_errno(errno, fmt::format("{}: close", name));
  }
  return {};
}

Result<void> write_file(int directory_fd, const std::string& name, std::string_view bytes,
                        bool sync, mode_t mode) {
  TRY_ASSIGN(UniqueFd fd, create_file(directory_fd, name));
  TRY(set_file_mode(fd.get(), mode, name));
  TRY(write_all(fd.get(), bytes, name));
  return finish_file(std::move(fd), name, sync);
}

Result<void> cut_behind(int fd, std::size_t size, const std::string& name) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno(errno, fmt::format("{}: stat", name));
  if (static_cast<std::size_t>(info.st_size) <= size) return {};
  if (::ftruncate(fd, static_cast<off_t>(size)) == 0) return {};
  return fail_errno(errno, fmt::format("{}: truncate", name));
}

/// Writes over a start record. Truncating it first would give its page back to the file system and
/// ask for it again, and ext4 writes a file at once that was truncated and closed (auto_da_alloc,
/// ext4(5)). A reader that finds what a crash left takes anything but a whole answer for a record.
Result<void> write_over(int directory_fd, const std::string& name, std::string_view bytes,
                        bool sync, mode_t mode) {
  TRY_ASSIGN(UniqueFd fd, create_file(directory_fd, name, 0));
  TRY(set_file_mode(fd.get(), mode, name));
  TRY(write_all(fd.get(), bytes, name));
  TRY(cut_behind(fd.get(), bytes.size(), name));
  return finish_file(std::move(fd), name, sync);
}

std::uint64_t process_token() {
  static const std::uint64_t token = random_seed();
  return token;
}

struct Names {
  int from_fd;
  const std::string& from;
  int to_fd;
  const std::string& to;
};

std::optional<struct stat> stat_entry(int directory_fd, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return info;
}

/// After an error of rename or link: a network file system may have done it and lost the reply
/// (Postfix's sane_rename). `before` is the file that was to be published.
bool really_happened(const Names& names, const struct stat& before) {
  const auto there = stat_entry(names.to_fd, names.to);
  return there && there->st_dev == before.st_dev && there->st_ino == before.st_ino;
}

Result<Publication> publish_by_link(const Names& names, const struct stat& before) {
  const int linked = ::linkat(names.from_fd, names.from.c_str(), names.to_fd, names.to.c_str(), 0);
  const int link_errno = errno;
  if (linked != 0 && !really_happened(names, before)) {
    if (link_errno == EEXIST) return Publication::kAlreadyThere;
    return fail_errno(link_errno, fmt::format("{}: link", names.to));
  }
  // The name is published; a temporary that stays is swept at the next start.
  ::unlinkat(names.from_fd, names.from.c_str(), 0);
  return Publication::kPublished;
}

bool is_flag_refused(int error) {
  return error == EINVAL || error == ENOSYS || error == ENOTSUP || error == EOPNOTSUPP;
}

Result<Publication> rename_into_place(const Names& names) {
  if (::renameat2(names.from_fd, names.from.c_str(), names.to_fd, names.to.c_str(),
                  RENAME_NOREPLACE) == 0) {
    return Publication::kPublished;
  }
  const int rename_errno = errno;
  const auto before = stat_entry(names.from_fd, names.from);
  if (!before) {
    // The temporary is gone: either the rename took place, or somebody removed it.
    if (rename_errno == ENOENT || !stat_entry(names.to_fd, names.to)) {
      return fail_errno(rename_errno, fmt::format("{}: rename", names.to));
    }
    return Publication::kPublished;
  }
  if (is_flag_refused(rename_errno)) return publish_by_link(names, *before);
  if (rename_errno == EEXIST) return Publication::kAlreadyThere;
  return fail_errno(rename_errno, fmt::format("{}: rename", names.to));
}

}  // namespace

std::string next_temporary_name() {
  static std::atomic<std::uint64_t> sequence = 0;
  return Layout::temporary_name(process_token(), sequence.fetch_add(1, std::memory_order_relaxed));
}

bool is_own_temporary(std::string_view name) {
  const std::string any = Layout::temporary_name(process_token(), 0);
  return name.starts_with(std::string_view(any).substr(0, any.rfind('-') + 1));
}

Result<Publication> publish_new(const PublishRequest& request) {
  const std::string temporary(request.temporary_name);
  const std::string name(request.name);
  const bool sync = request.durability != Durability::kNone;

  auto written = request.keep_temporary
                     ? write_over(request.staging_fd, temporary, request.bytes, sync, request.mode)
                     : write_file(request.staging_fd, temporary, request.bytes, sync, request.mode);
  if (!written) {
    if (!request.keep_temporary) ::unlinkat(request.staging_fd, temporary.c_str(), 0);
    return Unexpected(written.error());
  }
  auto renamed = rename_into_place({request.staging_fd, temporary, request.directory_fd, name});
  const bool done = renamed && *renamed == Publication::kPublished;
  if (!done && !request.keep_temporary) ::unlinkat(request.staging_fd, temporary.c_str(), 0);
  return renamed;
}

Result<Publication> publish_staged(int staging_fd, std::string_view temporary_name,
                                   int directory_fd, std::string_view name, Durability durability) {
  const std::string temporary(temporary_name);
  const std::string final_name(name);
  if (durability != Durability::kNone) {
    TRY_ASSIGN(const UniqueFd fd, open_regular_at(staging_fd, temporary, O_RDONLY, "worker"));
    if (::fsync(fd.get()) != 0) {
      return fail_errno(errno, fmt::format("{}: fsync", temporary));
    }
  }
  return rename_into_place({staging_fd, temporary, directory_fd, final_name});
}

Result<void> set_file_mode(int fd, mode_t mode, std::string_view name) {
  if (mode == kOwnFileMode || ::fchmod(fd, mode) == 0) return {};
  return fail_errno(errno, fmt::format("{}: change mode", name));
}

Result<void> sync_directory(int directory_fd) {
  if (::fsync(directory_fd) == 0) return {};
  // Some file systems (FUSE, old SMB) cannot sync a directory and say so this way.
  if (errno == EINVAL || errno == ENOTSUP) return {};
  return fail_errno(errno, "directory: fsync");
}

Result<void> sync_file_systems(const Directories& directories) {
  for (const UniqueFd* directory : {&directories.responses, &directories.worker_started}) {
    if (::syncfs(directory->get()) != 0) return fail_errno(errno, "responses/: syncfs");
    if (directories.staging_is_shared) break;
  }
  return {};
}

Result<std::int64_t> write_file_at(int directory_fd, const std::string& name,
                                   std::string_view bytes, std::optional<std::int64_t> mtime_ns,
                                   Durability durability, mode_t mode) {
  TRY_ASSIGN(UniqueFd fd, open_regular_at(directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC, "."));
  TRY(set_file_mode(fd.get(), mode, name));
  TRY(write_all(fd.get(), bytes, name));
  if (mtime_ns) TRY(set_time(fd.get(), *mtime_ns, name));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, fmt::format("{}: stat", name));
  TRY(finish_file(std::move(fd), name, durability != Durability::kNone));
  return identify(info).mtime_ns;
}

Result<void> replace_file(int directory_fd, std::string_view name, std::string_view bytes,
                          Durability durability, mode_t mode) {
  const std::string temporary = next_temporary_name();
  const std::string final_name(name);
  auto written = write_file(directory_fd, temporary, bytes, durability != Durability::kNone, mode);
  if (written &&
      ::renameat(directory_fd, temporary.c_str(), directory_fd, final_name.c_str()) != 0) {
    written = fail_errno(errno, fmt::format("{}: rename", final_name));
  }
  if (!written) {
    ::unlinkat(directory_fd, temporary.c_str(), 0);
    return written;
  }
  if (durability == Durability::kFull) return sync_directory(directory_fd);
  return {};
}

}  // namespace filecall::spool
