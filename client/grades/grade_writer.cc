// SPDX-License-Identifier: MIT
#include "client/grades/grade_writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

/// Another evaluation holds the lock for one small write, gc while it rewrites the file.
constexpr Duration kLockPatience = seconds(60);
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
Result<std::int64_t> begin_of_torn(int fd, std::int64_t size, const std::string& path) {
  std::int64_t step = 1;  // Nearly always the last byte tells.
  // Further back nothing is looked for: who asks refuses a longer line.
  for (std::int64_t to = size; to > 0 && size - to <= kGradeLineBytesMax; step = kStepBytes) {
    const std::int64_t from = std::max<std::int64_t>(0, to - step);
    TRY_ASSIGN(const std::string bytes, read_part(fd, from, to, path));
    const std::size_t newline = bytes.rfind('\n');
    if (newline != std::string::npos) return from + static_cast<std::int64_t>(newline) + 1;
    to = from;
  }
  return 0;
}

Result<std::string> keep_torn(const std::string& bytes, const spool::Layout& layout) {
  for (int number = 1; number <= kTornMax; ++number) {
    const std::string path = fmt::format("{}/{}", layout.eval(), layout.torn_grades_name(number));
    auto fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!fd && fd.error().code == ErrorCode::kAlreadyExists) continue;
    if (!fd) return Unexpected(fd.error());
    TRY(write_all(fd->get(), bytes, path));
    if (::fdatasync(fd->get()) != 0) return fail_errno(errno, path + ": sync");
    return path;
  }
  return fail(ErrorCode::kResourceExhausted,
              layout.grades() + ": torn lines were set aside too often; look at them");
}

}  // namespace

Result<std::int64_t> mend_grades(int fd, const spool::Layout& layout,
                                 const std::function<void(const std::string&)>& on_notice) {
  const std::string path = layout.grades();
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, path + ": stat");
  const std::int64_t size = status.st_size;
  TRY_ASSIGN(const std::int64_t begin, begin_of_torn(fd, size, path));
  if (begin == size) return size;
  if (size - begin > kGradeLineBytesMax) {
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("{}: the last line, at byte {}, is longer than {} bytes; look at the "
                            "file",
                            path, begin, kGradeLineBytesMax));
  }
  TRY_ASSIGN(const std::string torn, read_part(fd, begin, size, path));
  TRY_ASSIGN(const std::string kept, keep_torn(torn, layout));
  if (::ftruncate(fd, begin) != 0) return fail_errno(errno, path + ": truncate");
  on_notice(
      fmt::format("{}: the last line was cut off after {} bytes (its writer was killed); it "
                  "was kept as {}, and its response is graded again",
                  path, size - begin, kept));
  return begin;
}

Result<GradeWriter> GradeWriter::open(const spool::Layout& layout, GradeLog& log,
                                      std::function<void(const std::string&)> on_notice) {
  TRY(make_directories(layout.eval()));
  TRY(make_directories(layout.client()));
  return GradeWriter(layout, log, std::move(on_notice));
}

/// False: it is another file than before, since gc puts one in its place.
Result<bool> GradeWriter::open_current() {
  struct stat status {};
  const bool is_same = fd_.is_open() && ::fstat(fd_.get(), &status) == 0 && status.st_nlink > 0;
  if (is_same) return true;
  TRY_ASSIGN(fd_, open_regular(layout_.grades(), O_RDWR | O_APPEND | O_CREAT));
  return false;
}

Result<void> GradeWriter::put(std::string_view id, std::string_view name,
                              const Evaluation& evaluation) {
  const std::string line =
      render_evaluation_record({std::string(id), {{std::string(name), evaluation}}});
  if (static_cast<std::int64_t>(line.size()) > kGradeLineBytesMax) {
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("{}: the grade of {} has {} bytes, more than {}", layout_.grades(), id,
                            line.size(), kGradeLineBytesMax));
  }
  {
    TRY_ASSIGN(const spool::FileLock lock,
               spool::FileLock::acquire(layout_.client_eval_lock(), kLockPatience));
    TRY_ASSIGN(const bool is_same, open_current());
    TRY_ASSIGN(const std::int64_t size, mend_grades(fd_.get(), layout_, on_notice_));
    if (const auto written = write_all(fd_.get(), line, layout_.grades()); !written) {
      // What cannot be cut off either is a torn line for the next writer.
      (void)::ftruncate(fd_.get(), size);
      return written;
    }
    if (is_same) {
      log_->note(id, name, evaluation.metadata_digest, {size, line.size() - 1},
                 size + static_cast<std::int64_t>(line.size()));
      return {};
    }
  }
  return log_->refresh();  // The log may have been made, or replaced, since it was read.
}

Result<void> GradeWriter::sync() const {
  if (fd_.is_open() && ::fdatasync(fd_.get()) != 0)
    return fail_errno(errno, layout_.grades() + ": sync");
  return {};
}

}  // namespace filecall::client
