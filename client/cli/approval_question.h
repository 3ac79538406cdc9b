// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/agent/agent_pool.h"
#include "client/approval/core/approval_decision.h"
#include "ipc/json.h"

namespace filecall::client {

/// Asks on the terminal: shows the bundle on standard error, reads a line of standard input.
class ApprovalQuestion final : public ApprovalAsker {
 public:
  Result<std::optional<ApprovalDecision>> ask(const Json& request,
                                              const std::function<bool()>& is_over) override;

 private:
  std::string typed_;  ///< Read and not yet a line.
};

/// Everything that a person decides on, in lines. Pure.
std::string approval_text(const Json& request);

/// What an answer means: "y" or "yes" (all), "n" or "no" and perhaps a reason, "1 3" (these calls),
/// "run y" (and such calls for the rest of the run). nullopt: it is none of these. Pure.
std::optional<ApprovalDecision> read_approval_answer(const Json& request, std::string_view line);

}  // namespace filecall::client
