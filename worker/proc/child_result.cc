// SPDX-License-Identifier: MIT
#include "worker/proc/child_result.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace filecall::worker {
namespace {

std::string_view doing(guard::Step step) {
  switch (step) {
    case guard::Step::kFork:
      return "fork";
    case guard::Step::kDirectory:
      return "enter its working directory";
    case guard::Step::kLimits:
      return "set its limits";
    case guard::Step::kConfine:
      return "confine it";
    case guard::Step::kExec:
      return "execute it";
    case guard::Step::kNone:
      break;
  }
  return "start it";
}

bool is_exhausted(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

Error start_error(const guard::Report& report, std::string_view program) {
  const int error = report.start_errno;
  const std::string reason = std::strerror(error);
  if (is_exhausted(error)) {
    return {ErrorCode::kResourceExhausted,
            fmt::format("{}: cannot {}: {}; lower tool.concurrency or raise the limits (memory, "
                        "processes) of the tool or the worker",
                        program, doing(report.failed_step), reason)};
  }
  if (report.failed_step == guard::Step::kExec && error == ENOENT) {
    return {ErrorCode::kNotFound,
            fmt::format("{}: not found, or its interpreter (#! line) is not", program)};
  }
  if (error == E2BIG) {
    return {
        ErrorCode::kInvalidArgument,
        fmt::format("{}: argv and environment are too large; pass large values by stdin", program)};
  }
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{}: cannot {}: {}", program, doing(report.failed_step), reason)};
}

}  // namespace

ChildResult make_child_result(const std::optional<guard::Report>& report, std::string_view program,
                              int guard_exit_code, int guard_signal) {
  ChildResult result;
  if (!report || report->magic != guard::kReportMagic) {
    const std::string end = guard_signal != 0 ? fmt::format("was ended by signal {}", guard_signal)
                                              : fmt::format("exited with {}", guard_exit_code);
    result.error = Error{ErrorCode::kInternal,
                         fmt::format("filecall-guard: {} without a report on {}; see the worker's "
                                     "log, and install worker and guard of one version",
                                     end, program)};
    return result;
  }
  result.was_cancelled = report->was_cancelled != 0;
  result.has_survivors = report->survivors != 0;
  result.duration = std::chrono::microseconds(report->duration_us);
  result.user = std::chrono::microseconds(report->user_us);
  result.system = std::chrono::microseconds(report->system_us);
  result.max_rss_bytes = report->max_rss_kib * 1024;
  if (report->failed_step != guard::Step::kNone) {
    result.error = start_error(*report, program);
  } else if (report->signal != 0) {
    result.signal = report->signal;
  } else {
    result.exit_code = report->exit_code;
  }
  return result;
}

Error spawn_error(int uv_error, const std::string& guard) {
  const int error = -uv_error;
  if (is_exhausted(error)) {
    return {ErrorCode::kResourceExhausted,
            fmt::format("{}: {}; lower tool.concurrency or raise the worker's limits of processes "
                        "and open files",
                        guard, std::strerror(error))};
  }
  if (error == E2BIG) {
    return {ErrorCode::kInvalidArgument,
            "tool: argv and environment are too large; pass large values by stdin"};
  }
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{}: {}; reinstall filecall, or set tool.guard in the worker's configuration "
                      "file",
                      guard, std::strerror(error))};
}

}  // namespace filecall::worker
