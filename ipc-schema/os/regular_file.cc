// SPDX-License-Identifier: MIT
#include "os/regular_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/io.h"

namespace filecall {
namespace {

Unexpected<Error> not_regular(const std::string& what) {
  return fail(ErrorCode::kFailedPrecondition, what + ": is no regular file");
}

Result<UniqueFd> open_checked(int directory_fd, const char* name, int flags, unsigned mode,
                              const std::string& what) {
  int fd = -1;
  do {
    // What is emptied is emptied only once it is known to be a file.
    fd = ::openat(directory_fd, name,
                  (flags & ~O_TRUNC) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                  static_cast<mode_t>(mode));
  } while (fd < 0 && errno == EINTR);
  UniqueFd opened(fd);
  if (!opened.is_open()) {
    // A link; a FIFO without a reader, or a socket.
    if (errno == ELOOP || errno == ENXIO || errno == EISDIR) return not_regular(what);
    return fail_errno(errno, what);
  }
  struct stat info {};
  if (::fstat(opened.get(), &info) != 0) return fail_errno(errno, what);
  if (!S_ISREG(info.st_mode)) return not_regular(what);
  if ((flags & O_TRUNC) != 0 && ::ftruncate(opened.get(), 0) != 0) return fail_errno(errno, what);
  return opened;
}

}  // namespace

Result<UniqueFd> open_regular(const std::string& path, int flags, unsigned mode) {
  return open_checked(AT_FDCWD, path.c_str(), flags, mode, path);
}

Result<UniqueFd> open_regular_at(int directory_fd, const std::string& name, int flags,
                                 const std::string& where, unsigned mode) {
  return open_checked(directory_fd, name.c_str(), flags, mode, fmt::format("{}/{}", where, name));
}

Result<std::string> read_regular_file(const std::string& path, std::size_t limit_bytes) {
  TRY_ASSIGN(const UniqueFd fd, open_regular(path, O_RDONLY));
  return read_all(fd.get(), limit_bytes, path);
}

}  // namespace filecall
