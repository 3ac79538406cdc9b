// SPDX-License-Identifier: MIT
#include "worker/changes/settlement.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "worker/changes/step_files.h"

namespace filecall::worker::changes {
namespace {

std::string_view name_text(StepKind kind, Holds holds) {
  switch (holds) {
    case Holds::kNothing:
      return kind == StepKind::kCreate   ? "as before, it is not there"
             : kind == StepKind::kRemove ? "as afterwards, it is not there"
                                         : "somebody removed it";
    case Holds::kOld:
      return "as before";
    case Holds::kNew:
      return "as afterwards";
    case Holds::kOther:
      return "somebody changed it";
    case Holds::kUnknown:
      return "it cannot be looked at";
  }
  return "";
}

std::string_view aside_text(Holds holds) {
  switch (holds) {
    case Holds::kNothing:
    case Holds::kUnknown:
      return "";
    case Holds::kOld:
      return "its old content lies in";
    case Holds::kNew:
      return "its new content lies in";
    case Holds::kOther:
      return "what somebody wrote into it lies in";
  }
  return "";
}

Unexpected<Error> changed_by_others(const ChangeStep& step) {
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: somebody else changes it at this moment", step.shown));
}

}  // namespace

StepState Settlement::state(std::size_t step) const {
  const StepDirectory& directory = directories_[step];
  if (directory == nullptr) return {Holds::kUnknown, Holds::kUnknown};
  const ChangeStep& change = set_.steps[step];
  if (directory->is_open()) return state_of(directory->get(), change);
  const bool is_as_before = change.kind == StepKind::kWatch && change.before.sha256.empty();
  return {is_as_before ? Holds::kOld : Holds::kNothing, Holds::kNothing};
}

std::vector<StepOptions> Settlement::look() const {
  std::vector<StepOptions> options;
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    options.push_back(options_of(set_.steps[i].kind, state(i)));
  }
  return options;
}

void Settlement::drop_second_names() {
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    const StepDirectory& directory = directories_[i];
    if (directory == nullptr || !directory->is_open()) continue;
    drop_second_name(directory->get(), set_.steps[i]);
  }
}

StepAct Settlement::act(std::size_t step, Direction direction) const {
  const StepOptions options = options_of(set_.steps[step].kind, state(step));
  return direction == Direction::kForward ? options.forward : options.back;
}

Result<void> Settlement::move_step(std::size_t step, Direction direction) {
  const ChangeStep& change = set_.steps[step];
  const StepAct wanted = act(step, direction);
  if (wanted == StepAct::kImpossible) return changed_by_others(change);
  if (!is_move(wanted)) return {};
  TRY(perform_act(directories_[step]->get(), change, wanted));
  // Somebody may have changed it between the look and the move: then this is not where it went.
  const StepAct left = act(step, direction);
  if (left == StepAct::kImpossible || is_move(left)) return changed_by_others(change);
  return {};
}

Result<void> Settlement::sync() const {
  std::set<const UniqueFd*> seen;
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    const StepDirectory& directory = directories_[i];
    if (directory == nullptr || !directory->is_open() || !seen.insert(directory.get()).second)
      continue;
    TRY(sync_entries(directory->get(), set_.steps[i].directory));
  }
  return {};
}

Result<void> Settlement::move(Direction direction) {
  std::optional<Error> first;
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    auto moved = move_step(i, direction);
    if (moved || first) continue;
    first = std::move(moved).error();
    // On the way back each step that can go there goes.
    if (direction == Direction::kForward) break;
  }
  if (first) return Unexpected(*std::move(first));
  TRY(sync());
  return direction == Direction::kForward ? look_at_removed() : Result<void>();
}

Result<void> Settlement::look_at_removed() const {
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    if (set_.steps[i].kind != StepKind::kRemove) continue;
    const StepAct left = act(i, Direction::kForward);
    if (left == StepAct::kImpossible || is_move(left)) return changed_by_others(set_.steps[i]);
  }
  return {};
}

void Settlement::drop(Direction direction) {
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    if (act(i, direction) != StepAct::kDrop) continue;
    static_cast<void>(perform_act(directories_[i]->get(), set_.steps[i], StepAct::kDrop));
  }
}

bool Settlement::is_moved(Direction direction) const {
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    const StepAct left = act(i, direction);
    if (left != StepAct::kNone && left != StepAct::kDrop) return false;
  }
  return true;
}

std::vector<std::string> Settlement::describe() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < set_.steps.size(); ++i) {
    const ChangeStep& step = set_.steps[i];
    const StepState now = state(i);
    std::string line = fmt::format("{}: {}", step.shown, name_text(step.kind, now.name));
    if (const std::string_view beside = aside_text(now.aside); !beside.empty()) {
      line += fmt::format("; {} {}/{}", beside, step.directory, step.aside);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace filecall::worker::changes
