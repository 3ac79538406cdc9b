// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/eval/subject.h"

namespace filecall::client {

/// Which answer of a conversation a grader looks at; above 0: that of this turn.
inline constexpr int kLastTurn = 0;
inline constexpr int kAllTurns = -1;

/// The subject with the answer of a turn: of kAllTurns, the texts of all answers, an empty line
/// between two; its request then is the last one's. An answer that is no conversation is its own
/// first, last and only turn. The string says why there is none. Pure.
Result<Subject, std::string> subject_of_turn(const Subject& subject, int turn);

/// The calls of tools that a turn (or all, or the last) has: a list of {name, arguments, result}.
/// Of an answer that is no conversation, what the model asked for. Pure.
Json tool_calls_of(const Subject& subject, int turn);

}  // namespace filecall::client
