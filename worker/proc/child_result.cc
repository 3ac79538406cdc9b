// SPDX-License-Identifier: MIT
#include "worker/proc/child_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/take_until.h"

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
    case guard::Step::kNamespaces:
      return "give it its own namespaces";
    case guard::Step::kMounts:
      return "build its file tree";
    case guard::Step::kProtect:
      return "protect a name (tool.protect)";
    case guard::Step::kCapabilities:
      return "take its capabilities";
    case guard::Step::kLandlock:
      return "restrict it by Landlock";
    case guard::Step::kSeccomp:
      return "filter its system calls";
    case guard::Step::kGroup:
      return "give it its own control group";
    case guard::Step::kNone:
      break;
  }
  return "start it";
}

bool is_exhausted(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE ||
         error == ETOOMANYREFS;
}

Error start_error(const guard::Report& report, std::string_view program) {
  const guard::StepFailure& failure = report.failure;
  const int error = failure.error;
  const std::string_view place(failure.place, ::strnlen(failure.place, sizeof failure.place));
  const std::string reason = place.empty() ? std::string(std::strerror(error))
                                           : fmt::format("{}: {}", place, std::strerror(error));
  if (is_exhausted(error)) {
    return {ErrorCode::kResourceExhausted,
            fmt::format("{}: cannot {}: {}; lower tool.concurrency or raise the limits (memory, "
                        "processes, namespaces) of the tool or the worker",
                        program, doing(failure.step), reason)};
  }
  if (failure.step == guard::Step::kExec && error == ENOENT) {
    const std::string_view hint =
        report.is_confined != 0
            ? "; or the sandbox does not show it: name its directory under tool.readable"
            : "";
    return {ErrorCode::kNotFound,
            fmt::format("{}: not found, or its interpreter (#! line) is not{}", program, hint)};
  }
  if (error == E2BIG) {
    return {
        ErrorCode::kInvalidArgument,
        fmt::format("{}: argv and environment are too large; pass large values by stdin", program)};
  }
  if (failure.step == guard::Step::kProtect && error == ELOOP) {
    return {ErrorCode::kFailedPrecondition,
            fmt::format("{}: {} is a symbolic link, which cannot be protected; replace it, or take "
                        "its name out of tool.protect",
                        program, place)};
  }
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{}: cannot {}: {}", program, doing(failure.step), reason)};
}

std::vector<LeftRepository> left_repositories(const guard::Report& report) {
  std::vector<LeftRepository> found;
  std::string_view text(
      report.repositories_text,
      std::min<std::size_t>(report.repositories_bytes, sizeof report.repositories_text));
  while (!text.empty()) {
    const std::string_view folder = take_until(&text, '\0');
    found.push_back({std::string(folder), std::string(take_until(&text, '\0'))});
  }
  return found;
}

}  // namespace

ChildResult make_child_result(const std::optional<guard::Report>& report, std::string_view program,
                              int guard_exit_code, int guard_signal) {
  ChildResult result;
  if (!report || report->magic != guard::kReportMagic) {
    const std::string end = guard_signal != 0 ? fmt::format("was ended by signal {}", guard_signal)
                                              : fmt::format("exited with {}", guard_exit_code);
    result.error =
        Error{ErrorCode::kInternal,
              fmt::format("filecall-guard: {} without a report on {}, which may have "
                          "ended it (without a sandbox a program can); otherwise see "
                          "the worker's log, and install worker and guard of one version",
                          end, program)};
    return result;
  }
  result.was_cancelled = report->was_cancelled != 0;
  result.has_survivors = report->survivors != 0;
  result.duration = std::chrono::microseconds(report->duration_us);
  result.user = std::chrono::microseconds(report->user_us);
  result.system = std::chrono::microseconds(report->system_us);
  result.max_rss_bytes = report->max_rss_kib * 1024;
  result.repositories = left_repositories(*report);
  result.repositories_count = report->repositories;
  if (report->failure) {
    result.error = start_error(*report, program);
  } else if (report->signal != 0) {
    result.signal = report->signal;
  } else {
    result.exit_code = report->exit_code;
  }
  return result;
}

ChildResult make_unstarted_result(std::string_view program) {
  ChildResult result;
  result.error = Error{ErrorCode::kUnavailable,
                       fmt::format("filecall-guard: ended before it started {}, and nothing has "
                                   "run; try again; when it happens every time, install worker and "
                                   "guard of one version",
                                   program)};
  return result;
}

Error spawn_error(int error, const std::string& guard) {
  if (is_exhausted(error)) {
    return {ErrorCode::kResourceExhausted,
            fmt::format("{}: {}; lower tool.concurrency or raise the worker's limits of processes "
                        "and open files",
                        guard, std::strerror(error))};
  }
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{}: {}; reinstall filecall, or set tool.guard in the worker's configuration "
                      "file",
                      guard, std::strerror(error))};
}

}  // namespace filecall::worker
