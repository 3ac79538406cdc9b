// SPDX-License-Identifier: MIT
#include "os/io.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace filecall {
namespace {

/// A shell passes the output of a program as /dev/fd/63: `<(program)` of bash.
bool is_of_a_process(std::string_view path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/") || path == "/dev/stdin";
}

}  // namespace

Result<void> write_all(int fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, fmt::format("{}: write", what));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_all(int fd, std::size_t limit_bytes, std::string_view what,
                             std::size_t expected_bytes) {
  constexpr std::size_t kEnd = 64;  // Of a read that most likely finds the end.
  std::string out;
  std::size_t chunk = 16 * 1024;
  if (expected_bytes > 0) {
    chunk = std::min(expected_bytes, limit_bytes) + 1;
    out.reserve(chunk + kEnd);
  }
  for (bool is_first = true;; is_first = false) {
    const std::size_t old = out.size();
    out.resize(old + chunk);
    const ssize_t got = ::read(fd, out.data() + old, chunk);
    if (got < 0 && errno == EINTR) {
      out.resize(old);
      continue;
    }
    if (got < 0) return fail_errno(errno, fmt::format("{}: read", what));
    out.resize(old + static_cast<std::size_t>(got));
    if (out.size() > limit_bytes) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("{}: larger than {} bytes", what, limit_bytes));
    }
    if (got == 0) return out;
    if (is_first && expected_bytes > 0) {
      chunk = kEnd;
    } else if (chunk < 1024 * 1024) {
      chunk *= 2;
    }
  }
}

Result<UniqueFd> open_file(const std::string& path, int flags, unsigned mode) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, static_cast<mode_t>(mode));
    if (fd >= 0) return UniqueFd(fd);
    if (errno != EINTR) return fail_errno(errno, path);
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
  // Without a writer, opening a FIFO to read waits for one (fifo(7)).
  TRY_ASSIGN(const UniqueFd fd, open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if (S_ISFIFO(info.st_mode) && !is_of_a_process(path)) {
    return fail(ErrorCode::kFailedPrecondition,
                path + ": is a FIFO, which may never have an end; name a regular file");
  }
  if (!S_ISREG(info.st_mode) && ::fcntl(fd.get(), F_SETFL, 0) != 0) return fail_errno(errno, path);
  return read_all(fd.get(), limit_bytes, path);
}

Result<void> make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string prefix = path.substr(0, slash);
    if (::mkdir(prefix.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(errno, prefix);
    if (slash == std::string::npos) break;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, path);
  if (!S_ISDIR(info.st_mode)) return fail_errno(ENOTDIR, path);
  return {};
}

}  // namespace filecall
