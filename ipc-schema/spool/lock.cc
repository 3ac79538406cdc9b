// SPDX-License-Identifier: MIT
#include "spool/lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::spool {
namespace {

// A lock may be released at any instant and flock(2) cannot wait with a limit.
constexpr Duration kRetryEvery = milliseconds(5);

int flock_retrying(int fd, int operation) {
  int result = 0;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// Whether a stat(2) that failed in this way leaves open what is at the path.
bool tells_nothing(int error) {
  return error == EACCES || error == EINTR || error == EIO || error == ENOMEM || error == ESTALE ||
         error == ETIMEDOUT;
}

void wait_for(Duration duration) {
  const auto ms = std::max<std::int64_t>(1, to_ms(duration));
  ::poll(nullptr, 0, static_cast<int>(ms));
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path, Duration patience, mode_t mode) {
  TRY_ASSIGN(UniqueFd fd, open_regular(path, O_RDWR | O_CREAT));
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  while (flock_retrying(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, fmt::format("{}: flock", path));
    const MonotonicTime now = monotonic_now();
    if (deadline.is_reached(now)) {
      return fail(ErrorCode::kUnavailable, fmt::format("{}: held by another process", path));
    }
    wait_for(std::min(kRetryEvery, deadline.time_left(now)));
  }
  TRY(set_file_mode(fd.get(), mode, path));
  return FileLock(std::move(fd));
}

Result<bool> FileLock::is_held(const std::string& path) {
  auto fd = open_regular(path, O_RDONLY);
  if (!fd) {
    if (fd.error().code == ErrorCode::kNotFound) return false;
    return Unexpected(fd.error());
  }
  // Shared, so that two probers do not take each other for a holder.
  if (flock_retrying(fd->get(), LOCK_SH | LOCK_NB) == 0) return false;
  if (errno == EWOULDBLOCK) return true;
  return fail_errno(errno, fmt::format("{}: flock", path));
}

bool FileLock::is_still_at(const std::string& path) const {
  struct stat held {};
  struct stat named {};
  if (::fstat(fd_.get(), &held) != 0) return false;
  if (::stat(path.c_str(), &named) != 0) return tells_nothing(errno);
  return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace filecall::spool
