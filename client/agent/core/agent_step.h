// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// One call of a plan, from what the model wrote to what became of it. Plain data.
struct AgentCall {
  int n = 0;  ///< In its step, from 1.
  std::string tool;
  Json args;
  bool is_check = false;   ///< The scenario's, not the model's.
  bool is_commit = false;  ///< The run's own, of what the step has changed on its branch.

  std::string decision;  ///< "": not yet; "allow", "prompt", "deny".
  std::string risk;
  std::string rule;
  Json reasons = Json::array();
  std::string deny_reason;

  std::string preview_request;  ///< Asked for; empty: not, or none is there.
  bool has_preview = false;     ///< It was answered, in whatever way.
  Json preview;                 ///< Its data; null: it failed.
  std::string preview_error;

  std::string impact_request;  ///< The same for what depends on an object that is to go.
  bool has_impact = false;
  Json impact;
  std::string impact_error;

  /// Something that a person is to see was asked for and is not there yet.
  bool awaits_answer() const {
    return !is_settled() &&
           ((!preview_request.empty() && !has_preview) || (!impact_request.empty() && !has_impact));
  }

  std::optional<bool> approved;  ///< Of a prompt.
  Json modified_args;            ///< What a person made of the arguments; null: nothing.
  Json hunks;                    ///< What a person chose; null: all.
  std::string decision_reason;

  std::string request_id;    ///< Begun; empty: not.
  bool has_effects = false;  ///< Known when it has begun.
  std::string status;        ///< "": not ended; "success", an error code, "denied", "not_run".
  std::string message;       ///< Of an error, or why it did not run.
  std::string result;        ///< What the model sees of it.
  std::string result_digest;
  std::int64_t result_bytes = 0;  ///< The whole's, which lies in its response.

  bool is_settled() const { return !status.empty(); }
  bool has_succeeded() const { return status == "success"; }
  /// The command looked first, and refused: nothing was changed.
  bool was_refused() const;
  /// Neither done nor left out by a person or a rule. A commit that was not made is no failure of
  /// the model's plan: the run's result says what is in none.
  bool has_failed() const {
    return is_settled() && !has_succeeded() && !is_commit && status != "denied" &&
           status != "not_run";
  }
};

/// An answer that was not a plan, and why.
struct RejectedPlan {
  std::string message;
  std::string excerpt;
};

/// One turn of the loop. Plain data.
struct AgentStep {
  std::int64_t number = 0;
  int turn = 1;              ///< Of asking: further ones correct an answer.
  std::string plan_request;  ///< Asked last.
  bool is_planned = false;
  std::vector<RejectedPlan> rejected;
  std::string commentary;
  std::vector<AgentCall> calls;
  bool is_done = false;
  std::string summary;
  std::string approval;  ///< Asked for last and not stale; empty: none.
  bool is_decided = false;
  int rounds = 0;  ///< Approvals asked for.
  /// Those of them that were asked under another policy or scenario, and were not decided.
  std::vector<std::string> stale_approvals;
  Json approval_request;  ///< What was asked, whole.
  bool is_closed = false;
  std::string decided_approval;  ///< That of the step's own calls.
  int looks = 0;                 ///< How often that was asked and answered.
  bool has_looked = false;       ///< What it has changed on the run's branch is known.
  bool is_saved = false;         ///< It is committed, or was to be; or nothing changed.
  bool must_find_commit =
      false;  ///< A commit was interrupted: the branch tells whether it is there.

  bool has_calls_left() const;
  bool has_checks() const;
  bool has_begun_checks() const;
  /// "passed", "failed" or "not_run"; empty while none of its checks is settled.
  std::string_view checks() const;
  /// A program of the model was begun.
  bool has_run_programs() const;
  /// What it has changed on the run's branch is not known: nobody looked since.
  bool may_have_unseen_changes() const;
  bool has_failed_call() const;
  AgentCall* find(std::int64_t n);
  /// What was decided is behind it: what is added to the step may need a decision, too.
  void begin_approval();
  /// What has not begun is decided and shown afresh.
  void forget_decisions();
};

}  // namespace filecall::client
