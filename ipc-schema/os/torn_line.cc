// SPDX-License-Identifier: MIT
#include "os/torn_line.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/io.h"

namespace filecall {
namespace {

constexpr int kTornMax = 1000;
constexpr std::int64_t kStepBytes = 64 * 1024;

Result<std::string> read_part(int fd, std::int64_t from, std::int64_t to, const std::string& path) {
  std::string bytes(static_cast<std::size_t>(to - from), '\0');
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), from);
  if (got < 0) return fail_errno(errno, path + ": read");
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

/// Where the last line begins that has no newline; `size` when there is none.
Result<std::int64_t> begin_of_torn(int fd, std::int64_t size, std::int64_t line_bytes_max,
                                   const std::string& path) {
  std::int64_t step = 1;  // Nearly always the last byte tells.
  // Further back nothing is looked for: who asks refuses a longer line.
  for (std::int64_t to = size; to > 0 && size - to <= line_bytes_max; step = kStepBytes) {
    const std::int64_t from = std::max<std::int64_t>(0, to - step);
    TRY_ASSIGN(const std::string bytes, read_part(fd, from, to, path));
    const std::size_t newline = bytes.rfind('\n');
    if (newline != std::string::npos) return from + static_cast<std::int64_t>(newline) + 1;
    to = from;
  }
  return 0;
}

Result<std::string> keep_torn(const std::string& bytes, const std::string& of) {
  for (int number = 1; number <= kTornMax; ++number) {
    const std::string path = fmt::format("{}.torn-{}", of, number);
    auto fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!fd && fd.error().code == ErrorCode::kAlreadyExists) continue;
    if (!fd) return Unexpected(fd.error());
    TRY(write_all(fd->get(), bytes, path));
    if (::fdatasync(fd->get()) != 0) return fail_errno(errno, path + ": sync");
    return path;
  }
  return fail(ErrorCode::kResourceExhausted,
              of + ": torn lines were set aside too often; look at them");
}

}  // namespace

Result<TornLine> set_torn_line_aside(int fd, const std::string& path, std::int64_t line_bytes_max) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, path + ": stat");
  const std::int64_t size = status.st_size;
  TRY_ASSIGN(const std::int64_t begin, begin_of_torn(fd, size, line_bytes_max, path));
  if (begin == size) return TornLine{size, 0, {}};
  if (size - begin > line_bytes_max) {
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("{}: the last line, at byte {}, is longer than {} bytes; look at the "
                            "file",
                            path, begin, line_bytes_max));
  }
  TRY_ASSIGN(const std::string torn, read_part(fd, begin, size, path));
  TRY_ASSIGN(std::string kept, keep_torn(torn, path));
  if (::ftruncate(fd, begin) != 0) return fail_errno(errno, path + ": truncate");
  return TornLine{begin, size - begin, std::move(kept)};
}

}  // namespace filecall
