// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "client/approval/core/approval_decision.h"
#include "client/approval/core/call.h"
#include "ipc/json.h"

namespace filecall::client {

/// A call of a bundle's request as it was decided on. `call` is an element of its `calls`.
CallToDecide call_to_decide(const Json& request, const Json& call);

/// A call's arguments for a person at a terminal: everything is there but the values of a Secret,
/// which are replaced by their size and a keyed hash, so that a change can be seen. Without a key
/// they have no hash, which could be guessed. Pure.
Json arguments_to_show(const Json& call, std::string_view key);
/// The same for a call of a tool with these arguments.
Json arguments_to_show(std::string_view tool, Json args, std::string_view key);

/// Hides the values of Secrets in all calls that a record holds, however deep: objects with the
/// name of a tool (tool, toolId) and its arguments (args, arguments, and what a decision changed
/// them to). A text in which a model wrote them stays as it is. Pure.
void hide_secrets(Json& record, std::string_view key);

/// A decision without its signature: what `approvals --json` prints.
Json decision_to_show(const ApprovalDecision& decision);

/// "approved", "denied" or "approved in part (1 of 2 calls)".
std::string outcome_text(const ApprovalDecision& decision);
/// The same, and that what runs is altered: other arguments than those asked for, or hunks alone.
std::string changed_outcome_text(const ApprovalDecision& decision);

/// What a policy says of a call, for `policy explain --json` (schema policy_verdict).
Json verdict_json(const Verdict& verdict);

}  // namespace filecall::client
