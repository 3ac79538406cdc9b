// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "client/turns/conversation.h"
#include "ipc/json.h"

namespace filecall::client {

/// A conversation turn by turn, for people, graders and exports: a list of {turn, user, answer,
/// finish_reason, request_id, tool_calls: [{name, arguments, result, is_error, request_id}]}, only
/// what there is. A turn that failed has `error`. Turns that were not asked are left out. Pure.
Json transcript_of(const Conversation& conversation);

/// The same as text: "[user]", "[assistant]" and "[tool NAME]" before what was said.
std::string transcript_text(const Json& transcript);

/// The turns of the user alone, each on lines of its own.
std::string transcript_question(const Json& transcript);

/// What a conversation has come to.
struct ConversationCounts {
  std::int64_t turns = 0;  ///< Answered.
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;  ///< Of these, answered with an error.
};
ConversationCounts count_steps(const Conversation& conversation);

}  // namespace filecall::client
