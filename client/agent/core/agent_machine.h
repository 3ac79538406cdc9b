// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "client/agent/core/agent_judge.h"
#include "client/agent/core/agent_state.h"
#include "client/agent/core/call_route.h"
#include "client/agent/core/tool_catalog.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// Something to write down before anything that follows from it is done.
struct AgentRecord {
  std::string type;
  Json data;
};

/// Something to do. What has an id is done once for it, however often it is asked for.
struct AgentEffect {
  enum class Kind : std::uint8_t {
    kAsk,      ///< A request.
    kApprove,  ///< Publish the approval's request and wait for its decision.
    kCancel,   ///< End a request that was asked.
  };
  Kind kind = Kind::kAsk;
  std::string id;
  std::string command{};
  Json params{};  ///< Of the request; or the approval's request.
  bool has_effects = false;
  bool is_model = false;
};

/// What one event leads to: the records are durable before the first effect.
struct AgentTurn {
  std::vector<AgentRecord> records;
  std::vector<AgentEffect> effects;
};

/// What happened. Plain data.
struct AgentEvent {
  enum class Kind : std::uint8_t {
    kBegin,     ///< `data`: the settings of a run without records.
    kResume,    ///< The run goes on; `data`: digests that are others by now, or null.
    kAnswer,    ///< `id`, `response`.
    kDecision,  ///< `id`; `data`: {decisions: [{n, approved, args?, hunks?, reason?, rule?}],
                ///< source, by, reason}.
    kSteer,     ///< `text`
    kCancel,    ///< `text`: why
    kPark,      ///< `text`: why
    /// Somebody else has written a record (`id` its type, `data`): a person steers or cancels.
    kRecorded,
  };
  Kind kind = Kind::kResume;
  WallTime now{};
  std::string id{};
  std::shared_ptr<const Response> response{};
  Json data{};
  std::string text{};
};

/// The loop of one run: plan, approve, execute, plan again, report. Pure: state is the fold of the
/// records alone, and (state, event) leads to (records, effects). After a restart a machine on the
/// state of the records asks for every effect without an outcome again, under the same id.
class AgentMachine {
 public:
  /// `judge` must outlive it. `catalog` is the run's own.
  AgentMachine(std::string run, AgentState state, std::shared_ptr<ToolCatalog> catalog,
               const AgentJudge& judge);

  AgentTurn step(const AgentEvent& event);

  const AgentState& state() const { return state_; }
  const std::string& run() const { return run_; }
  const ToolCatalog& catalog() const { return *catalog_; }
  /// The approval that is waited for; empty: none.
  std::string awaited_approval() const;
  /// The request whose answer is what the run came to; another one each time it went on.
  std::string result_request() const;
  /// Requests and decisions that are awaited.
  const std::set<std::string>& open_effects() const { return open_; }
  /// A request or a decision is awaited.
  bool has_open_effects() const { return !open_.empty(); }
  /// It has ended, and its result was asked for and answered.
  bool is_complete() const { return state_.is_over() && has_result_; }

 private:
  friend class AgentAdvance;

  void add(AgentTurn& turn, std::string type, Json data, WallTime now);
  void take_answer(AgentTurn& turn, const AgentEvent& event);
  void take_branch(AgentTurn& turn, const AgentEvent& event);
  void take_plan(AgentTurn& turn, const AgentEvent& event);
  void take_report(AgentTurn& turn, const AgentEvent& event);
  void take_preview(AgentTurn& turn, const AgentCall& call, std::string record,
                    const AgentEvent& event);
  void take_result(AgentTurn& turn, const AgentCall& call, const AgentEvent& event);
  void take_decision(AgentTurn& turn, const AgentEvent& event);
  void resume(AgentTurn& turn, const AgentEvent& event);
  std::vector<AgentEffect> wanted() const;
  void choose_tools();

  std::string run_;
  AgentState state_;
  std::shared_ptr<ToolCatalog> catalog_;
  const AgentJudge& judge_;
  std::set<std::string> issued_;  ///< Ids of effects that were handed out here.
  std::set<std::string> open_;    ///< Those without an outcome.
  bool has_result_ = false;
};

}  // namespace filecall::client
