// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "client/agent/agent_pool.h"
#include "client/agent/agent_run.h"
#include "client/agent/core/agent_state.h"
#include "client/cli/answer_stream.h"

namespace filecall::client {

/// Prints runs as they go: steps, what the model says of them, calls and results, what is waited
/// for. One line each, so that it can be followed. Standard output, or standard error with --json.
class AgentView final : public AgentObserver {
 public:
  struct Options {
    bool is_quiet = false;
    bool to_error = false;    ///< Standard output is for one document.
    bool names_runs = false;  ///< Several runs: each line begins with its run.
    /// A terminal, and one run: what the model writes is shown as it comes. Where the root is.
    std::string streams_from{};
  };
  explicit AgentView(Options options) : options_(std::move(options)) {}

  void on_record(const std::string& run, const AgentRecord& record,
                 const AgentState& state) override;
  void on_notice(const std::string& text) override;
  bool wants_stream() const override { return !options_.streams_from.empty(); }
  void on_model_asked(const std::string& request_id) override;
  void on_tick() override { stream_.show(); }
  /// The report was shown while it was written, all of it.
  bool has_shown_report() const { return has_shown_report_; }

 private:
  void line(const std::string& run, const std::string& text);

  Options options_;
  AnswerStream stream_;
  bool has_shown_report_ = false;
};

/// Before each line that a model wrote, so that none looks like one of this program.
inline constexpr std::string_view kQuoteMark = "| ";

/// One line for what a record says; empty: nothing that people follow. Pure.
std::string agent_line(const AgentRecord& record, const AgentState& state);

/// What a merge of a run's branch would be, for people.
std::string merge_summary_text(const RunBranch& branch);
/// What became of a run's branch, and what to type next; empty: it has none.
std::string agent_branch_text(const RunBranch& branch);

/// How a run ended, how it goes on, what its report claims without support; for people.
enum class ReportForm : std::uint8_t {
  kPlain,
  kMarkdown,  ///< For a terminal.
  kShown,     ///< It stands above.
};
std::string agent_end_text(const std::string& run, const AgentState& state, ReportForm form);

}  // namespace filecall::client
