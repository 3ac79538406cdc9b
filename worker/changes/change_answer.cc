// SPDX-License-Identifier: MIT
#include "worker/changes/change_answer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace filecall::worker::changes {
namespace {

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
  Failure failure = undone(
      ErrorCode::kAborted,
      fmt::format("interrupted, nothing was changed: the worker died while this command ran{}",
                  what));
  failure.retryable = true;
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
      return Unexpected(died(", and the next one put all files back"));
    case ChangeEnd::kTorn:
      break;
  }
  return Unexpected(torn("interrupted: the worker died while this command ran", finished.files));
}

Failure nothing_begun() { return died(" and had changed no file yet"); }

}  // namespace filecall::worker::changes
