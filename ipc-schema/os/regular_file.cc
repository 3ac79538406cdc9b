// SPDX-License-Identifier: MIT
#include "os/regular_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os/io.h"

namespace filecall {
namespace {

Unexpected<Error> not_regular(const std::string& what) {
  return fail(ErrorCode::kFailedPrecondition, what + ": is not a regular file");
}

const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a FIFO";
  return S_ISDIR(mode) ? "a directory" : "a device";
}

/// `what` says what is opened, for errors: most calls make none.
template <typename What>
Result<RegularFile> open_checked(int directory_fd, const char* name, int flags, unsigned mode,
                                 const What& what) {
  RegularFile file;
  do {
    // What is emptied is emptied only once it is known to be a file.
    file.fd = UniqueFd(::openat(directory_fd, name,
                                (flags & ~O_TRUNC) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                                static_cast<mode_t>(mode)));
  } while (!file.fd.is_open() && errno == EINTR);
  if (!file.fd.is_open()) {
    // A link; a FIFO without a reader, or a socket.
    if (errno == ELOOP || errno == ENXIO || errno == EISDIR) return not_regular(what());
    return fail_errno(errno, what());
  }
  if (::fstat(file.fd.get(), &file.info) != 0) return fail_errno(errno, what());
  if (!S_ISREG(file.info.st_mode)) return not_regular(what());
  // ext4 writes a file to the disk when it is closed if it was truncated, even from nothing to
  // nothing (auto_da_alloc, ext4(5)): a third of a request under --durability journal.
  const bool has_content = file.info.st_size != 0;
  if ((flags & O_TRUNC) != 0 && has_content && ::ftruncate(file.fd.get(), 0) != 0) {
    return fail_errno(errno, what());
  }
  return file;
}

}  // namespace

Result<UniqueFd> open_regular(const std::string& path, int flags, unsigned mode) {
  TRY_ASSIGN(RegularFile file,
             open_checked(AT_FDCWD, path.c_str(), flags, mode, [&] { return path; }));
  return std::move(file.fd);
}

Result<RegularFile> open_regular_file_at(int directory_fd, const std::string& name, int flags,
                                         std::string_view where, unsigned mode) {
  return open_checked(directory_fd, name.c_str(), flags, mode,
                      [&] { return fmt::format("{}/{}", where, name); });
}

Result<UniqueFd> open_regular_at(int directory_fd, const std::string& name, int flags,
                                 std::string_view where, unsigned mode) {
  TRY_ASSIGN(RegularFile file, open_regular_file_at(directory_fd, name, flags, where, mode));
  return std::move(file.fd);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t limit_bytes) {
  TRY_ASSIGN(const UniqueFd fd, open_regular(path, O_RDONLY));
  return read_all(fd.get(), limit_bytes, path);
}

Result<std::string> read_named_file(const std::string& path, std::size_t limit_bytes) {
  TRY_ASSIGN(const UniqueFd fd, open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {}; only a regular file is read", path, kind_of(info.st_mode)));
  }
  return read_all(fd.get(), limit_bytes, path, static_cast<std::size_t>(info.st_size));
}

}  // namespace filecall
