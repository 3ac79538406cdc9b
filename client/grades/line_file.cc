// SPDX-License-Identifier: MIT
#include "client/grades/line_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "os/io.h"
#include "os/regular_file.h"
#include "os/torn_line.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
/// Another evaluation holds the lock for one small write, gc while it rewrites the grades.
constexpr Duration kAppendPatience = seconds(60);

}  // namespace

Result<std::int64_t> each_grade_line(
    int fd, std::int64_t offset, const std::string& path,
    const std::function<Result<void>(std::string_view text, std::int64_t offset)>& visit) {
  std::string buffer;
  std::size_t scanned = 0;
  for (;;) {
    const std::size_t had = buffer.size();
    buffer.resize(had + kReadBytes);
    const ssize_t got = ::pread(fd, buffer.data() + had, kReadBytes,
                                static_cast<off_t>(offset + static_cast<std::int64_t>(had)));
    if (got < 0 && errno != EINTR) return fail_errno(errno, path + ": read");
    buffer.resize(had + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got == 0) return offset;
    std::size_t begin = 0;
    for (std::size_t at = buffer.find('\n', scanned); at != std::string::npos;
         at = buffer.find('\n', begin)) {
      const std::string_view text = std::string_view(buffer).substr(begin, at - begin);
      TRY(visit(text, offset + static_cast<std::int64_t>(begin)));
      begin = at + 1;
    }
    buffer.erase(0, begin);
    offset += static_cast<std::int64_t>(begin);
    scanned = buffer.size();
    // The file may be anybody's work, and take no room for what it claims to hold.
    if (static_cast<std::int64_t>(scanned) > kGradeLineBytesMax) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("{}: the line at byte {} is longer than {} bytes; look at the file",
                              path, offset, kGradeLineBytesMax));
    }
  }
}

Result<std::int64_t> mend_lines(int fd, const std::string& path, std::string_view follows,
                                const std::function<void(const std::string&)>& on_notice) {
  TRY_ASSIGN(const TornLine torn, set_torn_line_aside(fd, path, kGradeLineBytesMax));
  if (torn.bytes > 0) {
    on_notice(
        fmt::format("{}: the last line was cut off after {} bytes (its writer was killed); it "
                    "was kept as {}, and {}",
                    path, torn.bytes, torn.kept_as, follows));
  }
  return torn.size;
}

Result<void> append_lines(const spool::Layout& layout, const std::string& path,
                          std::string_view lines,
                          const std::function<void(const std::string&)>& on_notice) {
  if (lines.empty()) return {};
  TRY(make_directories(layout.eval()));
  TRY(make_directories(layout.client()));
  TRY_ASSIGN(const spool::FileLock lock,
             spool::FileLock::acquire(layout.client_eval_lock(), kAppendPatience));
  TRY_ASSIGN(const UniqueFd fd, open_regular(path, O_RDWR | O_APPEND | O_CREAT));
  TRY_ASSIGN(const std::int64_t size,
             mend_lines(fd.get(), path, "what it said is not there any more", on_notice));
  if (const auto written = write_all(fd.get(), lines, path); !written) {
    // What cannot be cut off either is a torn line for the next writer.
    (void)::ftruncate(fd.get(), size);
    return written;
  }
  if (::fdatasync(fd.get()) != 0) return fail_errno(errno, path + ": sync");
  return {};
}

Result<void> each_line_of(
    const std::string& path,
    const std::function<Result<void>(std::string_view text, std::int64_t offset)>& visit) {
  auto fd = open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return {};
  if (!fd) return Unexpected(fd.error());
  TRY(each_grade_line(fd->get(), 0, path, visit));
  return {};
}

std::string DamagedLines::sentence(const std::string& path) const {
  if (count_ == 0) return {};
  if (count_ == 1) {
    return fmt::format("{}: 1 line cannot be read and does not count; it is at byte {}", path,
                       first_at_);
  }
  return fmt::format("{}: {} lines cannot be read and do not count, the first at byte {}", path,
                     count_, first_at_);
}

}  // namespace filecall::client
