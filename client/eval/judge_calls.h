// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/eval/subject.h"
#include "ipc/request.h"

namespace filecall::client {

/// What a judge is shown of one call's arguments, and of its result; of all calls together.
inline constexpr std::size_t kJudgedCallBytesMax = 4'000;
inline constexpr std::size_t kJudgedCallsBytesMax = 64'000;

/// Calls of tools, as a judge is shown them.
struct JudgedCalls {
  /// One JSON object a line: {turn, name, arguments, result, is_error}. What is cut says how many
  /// bytes are left out, and a first line how many earlier calls are. Empty: there are no calls.
  std::string shown{};
  /// The results as they came, without what is left out: a judge may quote them.
  std::vector<std::string> results{};
};

/// Of a conversation, the calls of all turns up to `turn` (kLastTurn, kAllTurns: of all); of an
/// answer that is none, what the model asked for. Pure, as the next.
JudgedCalls judged_calls(const Subject& subject, int turn);
/// Of a conversation, its request without calls of tools and their results.
Request request_without_calls(const Subject& subject);

}  // namespace filecall::client
