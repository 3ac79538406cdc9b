// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/tool_catalog.h"
#include "ipc/json.h"

namespace filecall::client {

/// One call before it becomes a request, as the policy must know it.
struct CallFacts {
  std::string tool;
  Json args;
  bool has_effects = true;
  std::string catalog_risk;
  bool args_from_outside = false;  ///< A text of them occurs in a result, and not in the goal.
  Json preview;                    ///< Null: there is none.
  Json impact;                     ///< The same, of kube.analyzeImpact.
  std::string impact_error;        ///< Why it is not known what depends on the object.
  WallTime now{};
};

/// What the policy says of it.
struct Ruling {
  std::string decision = "prompt";  ///< "allow", "prompt" or "deny".
  std::string risk = "high";
  std::string rule;  ///< With file and line; empty: a default.
  std::vector<std::string> reasons;
  std::string deny_reason;
};

/// A plan, or why an answer is none.
struct PlanReading {
  bool is_plan = false;
  std::string commentary;
  Json calls = Json::array();  ///< {tool, args}
  bool is_done = false;
  std::string summary;
  std::vector<std::string> notes;
  std::string rule;     ///< Of a fault.
  std::string message;  ///< For the model: place and rule.
  std::string excerpt;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// One call as a person is to see it.
struct ShownCall {
  const AgentCall* call = nullptr;
  CallFacts facts;
  Ruling ruling;
  std::string description;
};

/// What the machine of a run does not decide itself: what the policy says, how a plan is read, what
/// a report may claim. Implementations are pure: the same question has the same answer.
class AgentJudge {
 public:
  virtual ~AgentJudge() = default;
  virtual Ruling decide(const CallFacts& facts, const AgentState& state) const = 0;
  /// `data` is what llm.chat answered.
  virtual PlanReading read_plan(const Json& data, const AgentSettings& settings,
                                const ToolCatalog& catalog) const = 0;
  /// The request of an approval, as its file has it, with its digest.
  virtual Json approval_request(const std::string& id, const std::vector<ShownCall>& calls,
                                const AgentState& state, WallTime now) const = 0;
  /// What of a report is nowhere in these texts.
  virtual std::vector<std::string> unsupported(std::string_view report,
                                               const std::vector<std::string>& texts) const = 0;
  enum class Progress { kFine, kWarn, kEnd };
  /// Whether the steps so far get anywhere; `why` says what repeats.
  virtual Progress progress(const std::vector<AgentStep>& steps, std::string& why) const = 0;
};

}  // namespace filecall::client
