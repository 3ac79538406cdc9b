// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/approval/core/policy.h"
#include "ipc/json.h"

namespace filecall::client {

/// How far an approval reaches: this call, or a rule for the rest of the run, of the thread, or of
/// the project.
enum class ApprovalScope : std::uint8_t { kOnce, kRun, kThread, kProject };
std::string_view to_string(ApprovalScope scope);
std::optional<ApprovalScope> parse_scope(std::string_view name);

/// What was decided of one call.
struct CallDecision {
  int n = 1;
  bool approved = false;
  std::optional<Json> modified_arguments = std::nullopt;  ///< In the place of what was asked.
  std::vector<std::string> hunks = {};                    ///< Only these; empty: all.
  std::string reason = {};
};

/// A decision on a bundle: one entry for each of its calls, in their order.
struct ApprovalDecision {
  std::string id;
  std::string digest;  ///< Of the bundle that was shown.
  std::vector<CallDecision> calls;
  ApprovalScope scope = ApprovalScope::kOnce;
  std::string reason;
  std::string source;  ///< cli, terminal, webview, inline or auto.
  std::string by;      ///< Who, as the program that asked knows them.
  WallTime decided_at = {};
  /// Rules that its scope stores: those that the request offered for the approved calls.
  std::vector<Json> rules;
};

/// The file of a decision (schema approval_response), signed. `request` is what was shown. Failure:
/// invalid_argument: a number that no call has, hunks that were not shown, modified arguments of a
/// call that is denied, a scope for a call that no rule is offered for. Pure; any thread.
Result<Json> decision_file(const Json& request, const ApprovalDecision& decision,
                           std::string_view key);

/// What a decision must agree with.
struct DecisionCheck {
  const Json& request;
  std::string_view key;
  /// The digests that hold now.
  std::string_view policy_digest;
  std::string_view scenario_digest;
};

/// Reads a decision and checks it against its request. Failures, each a reason to set the file
/// aside: unauthenticated (no signature, or not by this key), failed_precondition (of another
/// request or bundle, after its expiry, under another policy or scenario), invalid_argument (not
/// what decision_file() makes). Pure; any thread.
Result<ApprovalDecision> check_decision(const Json& file, const DecisionCheck& check);

/// The policy's word on arguments that a person changed. Failure: permission_denied, it denies
/// them. The schema of the tool is the caller's to check.
Result<Verdict> decide_modified(const Policy& policy, CallToDecide call, const Json& arguments);

}  // namespace filecall::client
