// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "client/agent/agent_pool.h"
#include "client/agent/agent_run.h"
#include "client/agent/core/agent_state.h"

namespace filecall::client {

/// Prints runs as they go: steps, what the model says of them, calls and results, what is waited
/// for. One line each, so that it can be followed. Standard output, or standard error with --json.
class AgentView final : public AgentObserver {
 public:
  struct Options {
    bool is_quiet = false;
    bool to_error = false;    ///< Standard output is for one document.
    bool names_runs = false;  ///< Several runs: each line begins with its run.
  };
  explicit AgentView(Options options) : options_(options) {}

  void on_record(const std::string& run, const AgentRecord& record,
                 const AgentState& state) override;
  void on_notice(const std::string& text) override;

 private:
  void line(const std::string& run, const std::string& text);

  Options options_;
};

/// One line for what a record says; empty: nothing that people follow. Pure.
std::string agent_line(const AgentRecord& record, const AgentState& state);

/// What a merge of a run's branch would be, for people.
std::string merge_summary_text(const RunBranch& branch);
/// What became of a run's branch, and what to type next; empty: it has none.
std::string agent_branch_text(const RunBranch& branch);

/// How a run ended, how it goes on, what its report claims without support; for people.
std::string agent_end_text(const std::string& run, const AgentState& state);

}  // namespace filecall::client
