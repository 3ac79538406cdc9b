// SPDX-License-Identifier: MIT
#include "client/grades/grade_writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "client/grades/line_file.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

/// Another evaluation holds the lock for one small write, gc while it rewrites the file.
constexpr Duration kLockPatience = seconds(60);
}  // namespace

Result<std::int64_t> mend_grades(int fd, const spool::Layout& layout,
                                 const std::function<void(const std::string&)>& on_notice) {
  return mend_lines(fd, layout.grades(), "its response is graded again", on_notice);
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
