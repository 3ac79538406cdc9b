// SPDX-License-Identifier: MIT
#include "worker/changes/change_answer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace filecall::worker::changes {
namespace {

/// Of a worker before this one: no record says which.
constexpr std::string_view kWorkerEnded =
    "the worker died or was stopped at once while this command ran";

Failure undone(ErrorCode code, std::string message) {
  Failure failure = Failure::of({code, std::move(message)});
  failure.details = {{"changes", to_string(ChangeEnd::kUndone)}};
  return failure;
}

Failure torn(const std::string& why, const std::vector<std::string>& files) {
  Failure failure = Failure::of(
      {ErrorCode::kAborted,
       fmt::format("{}; other programs changed some of the files meanwhile, so that the changes "
                   "are made in part: {}",
                   why, fmt::join(files, "; "))});
  failure.retryable = false;
  failure.details = {{"changes", to_string(ChangeEnd::kTorn)}, {"files", files}};
  return failure;
}

Failure died(std::string_view what) {
  Failure failure =
      undone(ErrorCode::kAborted,
             fmt::format("interrupted, nothing was changed: {}{}", kWorkerEnded, what));
  failure.retryable = true;
  return failure;
}

/// Of a record that watches: whether a commit is the branch's now.
bool watches(const ChangeSet& set) {
  return std::ranges::any_of(set.steps,
                             [](const ChangeStep& step) { return step.kind == StepKind::kWatch; });
}

Failure moved_since(const ChangeRecord& record) {
  const Json& answer = record.set.answer;
  const std::string commit = answer.is_object() ? answer.value("commit", "") : "";
  Failure failure = Failure::of(
      {ErrorCode::kAborted,
       fmt::format("interrupted: {}, and somebody moved {} since; look with git.log whether commit "
                   "{} is in it",
                   kWorkerEnded, record.set.steps.front().shown, commit)});
  failure.retryable = false;
  failure.details = {{"changes", "unknown"}, {"commit", commit}};
  return failure;
}

}  // namespace

Failure failure_of(ChangeFailure&& failure) {
  if (!failure.torn.empty()) return torn(failure.error.message, failure.torn);
  return undone(failure.error.code, failure.error.message + "; nothing was changed");
}

Result<Json, Failure> answer_of(const ChangeRecord& record, const FinishedChanges& finished) {
  switch (finished.end) {
    case ChangeEnd::kMade:
      return record.set.answer;
    case ChangeEnd::kUndone:
      if (watches(record.set)) return Unexpected(nothing_committed());
      return Unexpected(died(", and the next one put all files back"));
    case ChangeEnd::kTorn:
      if (watches(record.set)) return Unexpected(moved_since(record));
      break;
  }
  return Unexpected(torn(fmt::format("interrupted: {}", kWorkerEnded), finished.files));
}

Failure nothing_committed() {
  Failure failure = undone(ErrorCode::kAborted,
                           fmt::format("interrupted, nothing was committed: {}; its files may be "
                                       "staged",
                                       kWorkerEnded));
  failure.retryable = true;
  return failure;
}

Failure nothing_begun() { return died(" and had changed no file yet"); }

}  // namespace filecall::worker::changes
