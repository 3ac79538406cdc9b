// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/approval/core/call.h"
#include "ipc/json.h"

namespace filecall::client {

/// A call of a bundle, with what a person sees of it.
struct BundleCall {
  int n = 1;  ///< Its number in the plan's step, from 1.
  CallToDecide call;
  Verdict verdict;
  std::string id = {};            ///< The request that it becomes; empty: {bundle}.{n}.
  std::string display_name = {};  ///< Empty: the tool's name.
  std::string description = {};   ///< Of the catalog.
  std::string preview_text = {};  ///< Empty: made of the program, its directory and the sandbox.
  /// Ids of the hunks that may be chosen, by file.propose.
  std::vector<std::string> hunks = {};
  std::optional<std::int64_t> estimated_duration_ms = std::nullopt;  ///< Unknown: left out.
};

/// All calls of one plan that need a decision, in their order.
struct Bundle {
  std::string id;  ///< {run}.{step}
  std::string run;
  std::string thread;
  std::string scenario;
  std::string policy_digest;
  std::string scenario_digest;
  WallTime created_at = {};
  std::optional<WallTime> expires_at = std::nullopt;
  std::vector<BundleCall> calls;
};

/// What approvals/requests/{id}.json holds (schema approval_request), with a digest over all of it:
/// what is decided on is what was shown. Arguments are as they are: a
/// person who decides must see them.
/// Pure; any thread.
Json bundle_request(const Bundle& bundle);

/// "sha256:..." over every member but `digest`.
std::string bundle_digest(const Json& request);

/// Failure: data_loss, the text is not what was written (no such members, another digest).
Result<void> check_bundle(const Json& request);

}  // namespace filecall::client
