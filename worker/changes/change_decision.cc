// SPDX-License-Identifier: MIT
#include "worker/changes/change_decision.h"

#include <algorithm>

namespace filecall::worker::changes {
namespace {

using enum Holds;
using enum StepAct;

StepOptions replace_options(StepState state) {
  switch (state.name) {
    case kOld:
      if (state.aside == kNew) return {kDrop, kExchange};
      // A second file with the old content; that of the name is what readers have.
      if (state.aside == kOld) return {kDrop, kImpossible};
      return {kNone, kImpossible};
    case kNew:
      if (state.aside == kOld) return {kExchange, kDrop};
      if (state.aside == kNew) return {kImpossible, kDrop};
      // Somebody had the old file open and wrote into it: that must not be dropped.
      if (state.aside == kOther) return {kExchange, kImpossible};
      return {kImpossible, kNone};
    case kOther:
      if (state.aside == kNew) return {kDrop, kImpossible};
      if (state.aside == kOld) return {kImpossible, kDrop};
      return {};
    case kNothing:
      if (state.aside == kNew) return {kDrop, kImpossible};
      if (state.aside == kOld) return {kReveal, kDrop};
      return {};
    case kUnknown:
      return {};
  }
  return {};
}

StepOptions create_options(StepState state) {
  switch (state.name) {
    case kNothing:
      if (state.aside == kNew) return {kDrop, kReveal};
      return {kNone, kImpossible};
    case kNew:
      // Somebody made the very same file.
      if (state.aside == kNew) return {kDrop, kDrop};
      if (state.aside == kNothing) return {kWithdraw, kNone};
      return {kImpossible, kNone};
    case kOld:
    case kOther:
      if (state.aside == kNew) return {kDrop, kImpossible};
      if (state.aside == kNothing) return {kImpossible, kNone};
      return {};
    case kUnknown:
      return {};
  }
  return {};
}

StepOptions remove_options(StepState state) {
  switch (state.name) {
    case kOld:
      if (state.aside == kNothing) return {kNone, kWithdraw};
      if (state.aside == kOld) return {kDrop, kImpossible};
      return {kNone, kImpossible};
    case kNothing:
      if (state.aside == kOld) return {kReveal, kDrop};
      if (state.aside == kOther) return {kReveal, kImpossible};
      if (state.aside == kNothing) return {kImpossible, kNone};
      return {};
    case kNew:
    case kOther:
      if (state.aside == kNothing) return {kNone, kImpossible};
      if (state.aside == kOld) return {kImpossible, kDrop};
      return {};
    case kUnknown:
      return {};
  }
  return {};
}

StepOptions watch_options(StepState state) {
  if (state.name == kOld) return {kNone, kImpossible};
  if (state.name == kNew) return {kImpossible, kNone};
  return {};
}

}  // namespace

bool is_move(StepAct act) { return act == kExchange || act == kReveal || act == kWithdraw; }

StepOptions options_of(StepKind kind, StepState state) {
  if (state.aside == kUnknown) return {};
  switch (kind) {
    case StepKind::kReplace:
      return replace_options(state);
    case StepKind::kCreate:
      return create_options(state);
    case StepKind::kRemove:
      return remove_options(state);
    case StepKind::kWatch:
      return watch_options(state);
  }
  return {};
}

Direction direction_of(std::span<const StepOptions> steps) {
  const auto is_made = [](const StepOptions& step) {
    return step.forward == kNone || step.forward == kDrop;
  };
  if (std::ranges::all_of(steps, is_made)) return Direction::kForward;
  const auto can = [&steps](StepAct StepOptions::*way) {
    return std::ranges::none_of(
        steps, [way](const StepOptions& step) { return step.*way == kImpossible; });
  };
  if (can(&StepOptions::back)) return Direction::kBack;
  return can(&StepOptions::forward) ? Direction::kForward : Direction::kTorn;
}

}  // namespace filecall::worker::changes
