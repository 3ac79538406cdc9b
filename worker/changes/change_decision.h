// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "worker/changes/change_set.h"

namespace filecall::worker::changes {

/// What a name of a step holds now.
enum class Holds : std::uint8_t {
  kNothing,
  kOld,      ///< The content before.
  kNew,      ///< The content afterwards.
  kOther,    ///< Something of somebody else: another content, a link, a directory.
  kUnknown,  ///< It cannot be looked at.
};

/// Both names of a step.
struct StepState {
  Holds name = Holds::kNothing;
  Holds aside = Holds::kNothing;
  bool operator==(const StepState&) const = default;
};

/// What is done to bring a step to an end.
enum class StepAct : std::uint8_t {
  kNone,       ///< It is there; nothing lies beside it.
  kDrop,       ///< It is there; what lies beside it is removed.
  kExchange,   ///< The two names exchange what they hold.
  kReveal,     ///< What lies beside gets the name, which is free.
  kWithdraw,   ///< What has the name is moved beside, where nothing is.
  kImpossible  ///< It cannot be without what is somebody else's being lost.
};
/// Whether it moves something, so that kNone or kDrop remain afterwards.
bool is_move(StepAct act);

/// The two ways that a step may end.
struct StepOptions {
  StepAct back = StepAct::kImpossible;     ///< As it was before.
  StepAct forward = StepAct::kImpossible;  ///< As it is to be afterwards.
  bool operator==(const StepOptions&) const = default;
};
/// Never a way on which a content would be lost that is neither the old nor the new one. Total.
/// Pure.
StepOptions options_of(StepKind kind, StepState state);

enum class Direction : std::uint8_t {
  kForward,
  kBack,
  kTorn,  ///< Some files can only be as before, others only as afterwards: somebody changed them.
};
/// Where an interrupted set of changes goes: forward when all its moves were made, else back when
/// all of it can go back, else forward when all of it can, else torn. Pure.
Direction direction_of(std::span<const StepOptions> steps);

}  // namespace filecall::worker::changes
