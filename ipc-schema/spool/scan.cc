// SPDX-License-Identifier: MIT
#include "spool/scan.h"

#include <fcntl.h>

#include <cerrno>

namespace filecall::spool {

DirectoryReader::DirectoryReader(UniqueFd fd)
    : fd_(std::move(fd)), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

Result<DirectoryReader> DirectoryReader::open(int directory_fd) {
  for (;;) {
    const int fd = ::openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) return DirectoryReader(UniqueFd(fd));
    if (errno != EINTR) return fail_errno(errno, "directory: open");
  }
}

Result<std::size_t> DirectoryReader::fill() {
  for (;;) {
    const ssize_t got = ::getdents64(fd_.get(), buffer_.get(), kBufferBytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail_errno(errno, "directory: getdents64");
  }
}

}  // namespace filecall::spool
