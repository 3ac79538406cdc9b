// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/agent/agent_pool.h"
#include "client/approval/approval_files.h"
#include "client/approval/core/approval_decision.h"
#include "ipc/json.h"

namespace filecall::client {

/// Asks on the terminal: shows the bundle on standard error, reads a line of standard input.
class ApprovalQuestion final : public ApprovalAsker {
 public:
  /// Must outlive it: its key stands in what is shown for values of Secrets.
  explicit ApprovalQuestion(const ApprovalFiles& files) : files_(files) {}

  Result<std::optional<ApprovalDecision>> ask(const Json& request,
                                              const std::function<bool()>& is_over) override;

 private:
  const ApprovalFiles& files_;
  std::string typed_;  ///< Read and not yet a line.
};

/// Everything that a person decides on, in lines; values of Secrets are shown as their size and a
/// hash with `key`. Pure.
std::string approval_text(const Json& request, std::string_view key);

/// What an answer means: "y" or "yes" (all), "n" or "no" and perhaps a reason, "1 3" or "1,3"
/// (these calls), "run y" (and such calls for the rest of the run). nullopt: it is none of these.
/// Pure.
std::optional<ApprovalDecision> read_approval_answer(const Json& request, std::string_view line);

}  // namespace filecall::client
