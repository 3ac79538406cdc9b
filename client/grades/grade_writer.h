// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/grades/grade_log.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// Appends to `eval/grades.jsonl`, one line at a time, each under a lock of the root: so that
/// several evaluations can run at once and none is lost by a kill -9 but the line that was being
/// written. Such a line is set aside by the next writer, which says so. Not thread-safe.
class GradeWriter {
 public:
  /// Makes eval/ when it is not there. `log` must outlive it, and hears of each line.
  static Result<GradeWriter> open(const spool::Layout& layout, GradeLog& log,
                                  std::function<void(const std::string&)> on_notice);

  /// Failure: the file's; then nothing of the line stays.
  Result<void> put(std::string_view id, std::string_view name, const Evaluation& evaluation);
  /// Makes all lines durable.
  Result<void> sync() const;

 private:
  GradeWriter(spool::Layout layout, GradeLog& log,
              std::function<void(const std::string&)> on_notice)
      : layout_(std::move(layout)), log_(&log), on_notice_(std::move(on_notice)) {}
  Result<bool> open_current();

  spool::Layout layout_;
  GradeLog* log_;
  std::function<void(const std::string&)> on_notice_;
  UniqueFd fd_;
};

/// Sets a last line without a newline aside, as `eval/grades.jsonl.torn-{n}`, and cuts it off. Call
/// it under the lock of the root's grades. Returns the file's size. `on_notice` hears of it.
Result<std::int64_t> mend_grades(int fd, const spool::Layout& layout,
                                 const std::function<void(const std::string&)>& on_notice);

}  // namespace filecall::client
