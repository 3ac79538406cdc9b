// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/shell_word.h"
#include "base/visible_text.h"
#include "client/agent/agent_pool.h"
#include "client/agent/core/run_result.h"
#include "client/cli/agent_actions.h"
#include "client/cli/agent_setup.h"
#include "client/cli/agent_view.h"
#include "client/cli/approval_question.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// One run, and no more.
class OneRun final : public AgentSource {
 public:
  explicit OneRun(AgentOrder order) : order_(std::move(order)) {}
  Result<std::optional<AgentOrder>> next() override { return std::exchange(order_, std::nullopt); }

 private:
  std::optional<AgentOrder> order_;
};

Result<AgentPoolOptions> pool_options(const Arguments& arguments) {
  AgentPoolOptions options;
  TRY_ASSIGN(options.durability, arguments.durability());
  TRY_ASSIGN(options.wait_max, arguments.duration("wait", Duration::zero()));
  if (arguments.has("no-wait") && arguments.has("wait")) {
    return fail(ErrorCode::kInvalidArgument,
                "--wait and --no-wait contradict each other; give one of them");
  }
  const bool has_person = ::isatty(STDIN_FILENO) == 1 && error_is_terminal();
  options.wait = AgentWait::kPark;
  if (has_person && !arguments.has("json")) options.wait = AgentWait::kAsk;
  if (arguments.has("no-wait")) options.wait = AgentWait::kDeny;
  if (arguments.has("wait")) options.wait = AgentWait::kWait;
  return options;
}

std::string resume_command_text(const Arguments& arguments, const std::string& root,
                                const std::string& run) {
  return "filecall agent resume " + run + root_words(arguments, root);
}

int exit_code_of_run(const AgentState& state) {
  switch (state.end()) {
    case AgentEnd::kDone:
      // What the model calls done is not when the scenario's own checks say otherwise.
      return state.checks().empty() || state.checks() == "passed" ? kExitSuccess : kExitGaveUp;
    case AgentEnd::kBudget:
    case AgentEnd::kLoop:
      return kExitLimit;
    case AgentEnd::kFailed:
    case AgentEnd::kCancelled:
      return kExitGaveUp;
    case AgentEnd::kNone:
      break;
  }
  return state.is_parked() ? kExitDecision : kExitGaveUp;
}

int print_end(const Arguments& arguments, const AgentOutcome& outcome, const std::string& root,
              RunEnd end, bool has_shown_report) {
  const AgentState& state = outcome.state;
  const std::string again = resume_command_text(arguments, root, outcome.run);
  if (outcome.error) return report_error(*outcome.error);
  if (arguments.has("json")) {
    Json result = run_result(outcome.run, state);
    result["thread"] = outcome.thread;
    if (const AgentStep* step = state.step(); step != nullptr && !state.is_over()) {
      if (!step->approval.empty() && !step->is_decided) result["approval"] = step->approval;
    }
    print_json(result);
  } else if (arguments.has("quiet")) {
    const std::string report = without_controls(state.report());
    print(report.empty() || report.ends_with('\n') ? report : report + "\n");
  } else {
    const ReportForm form = has_shown_report  ? ReportForm::kShown
                            : output_colour() ? ReportForm::kMarkdown
                                              : ReportForm::kPlain;
    print_folded(agent_end_text(outcome.run, state, form), "| ");
  }
  if (state.is_over()) {
    if (end != RunEnd::kDone && !outcome.leaves_result) {
      print_error(fmt::format("the run's result is not written yet; '{}' writes it", again));
    }
    return exit_code_of_run(state);
  }
  if (end != RunEnd::kDone) return explain_end(end, root, again);
  const AgentStep* step = state.step();
  if (step != nullptr && !step->approval.empty() && !step->is_decided) {
    const std::string at_root = root_words(arguments, root);
    print_error(
        fmt::format("the run waits for a decision: 'filecall approve {}{}' or 'filecall deny "
                    "{}{}', then go on: {}",
                    step->approval, at_root, step->approval, at_root, again));
  }
  return exit_code_of_run(state);
}

Result<int> drive(const Arguments& arguments, OrchestratorOptions options, AgentOrder order) {
  TRY_ASSIGN(const AgentPoolOptions pool_options_value, pool_options(arguments));
  const spool::Layout layout = spool::layout_of(options.root);
  options.batch = order.run;
  if (!arguments.has("quiet")) {
    print_note(fmt::format("filecall: run {}, thread {}, scenario {}\n", order.run,
                           visible_line(order.thread), visible_line(order.settings.scenario)));
  }
  TRY_ASSIGN(const auto engine, Orchestrator::open(options));
  TRY_ASSIGN(ApprovalFiles approvals,
             ApprovalFiles::open(layout, true, pool_options_value.durability));
  const bool is_shown = !arguments.has("quiet") && !arguments.has("json");
  AgentView view({.is_quiet = arguments.has("quiet"),
                  .to_error = arguments.has("json"),
                  .names_runs = false,
                  .streams_from = is_shown && output_is_terminal() ? options.root : ""});
  OneRun source(std::move(order));
  ApprovalQuestion question(approvals);
  std::optional<AgentOutcome> outcome;
  AgentPool pool(*engine, layout, approvals, source, pool_options_value, view, &question,
                 [&](const AgentOutcome& ended) { outcome = ended; });
  const InterruptScope scope(engine->interruption());
  TRY_ASSIGN(const RunEnd end, engine->run(pool, pool));
  if (end == RunEnd::kInterrupted) {
    const bool is_cancelled = engine->interruption().is_urgent();
    pool.end_all(is_cancelled, is_cancelled ? "interrupted twice" : "interrupted");
  } else if (end != RunEnd::kDone) {
    pool.end_all(false, "no worker runs");
  }
  if (!outcome) return fail(ErrorCode::kInternal, "the run has no outcome");
  const int code = print_end(arguments, *outcome, options.root, end, view.has_shown_report());
  return end == RunEnd::kInterrupted ? static_cast<int>(kExitInterrupted) : code;
}

/// Of a run that is there already, what it was begun with; else nothing.
Result<std::optional<AgentSettings>> recorded_settings(const spool::Layout& layout,
                                                       const std::string& run) {
  using None = std::optional<AgentSettings>;
  if (run.empty()) return None();
  const auto thread = thread_of_known_run(layout, run);
  if (!thread) return None();
  const auto state = read_agent_state(layout, *thread, run);
  // The note of its place was written, and its first record was not: it begins now.
  if (!state && state.error().code == ErrorCode::kNotFound) return None();
  if (!state) return Unexpected(state.error());
  return std::optional(state->settings());
}

Result<int> begin(const Arguments& arguments) {
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, true));
  TRY_ASSIGN(const auto recorded,
             recorded_settings(spool::layout_of(options.root), arguments.text("run")));
  const std::string scenario = arguments.has("scenario") ? arguments.text("scenario")
                               : recorded                ? recorded->scenario
                                                         : std::string(kDefaultScenario);
  TRY_ASSIGN(AgentOrder order, agent_order(arguments, options, scenario,
                                           recorded ? recorded->policy_file : std::string()));
  order.settings.goal = arguments.words()[0];
  order.thread = arguments.has("thread") ? arguments.text("thread") : "default";
  return drive(arguments, options, std::move(order));
}

Result<int> resume_run(const Arguments& arguments, const std::string& run) {
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, true));
  const spool::Layout layout = spool::layout_of(options.root);
  TRY_ASSIGN(AgentOrder order, resumed_order(arguments, options, layout, run));
  return drive(arguments, options, std::move(order));
}

Result<int> agent(const Arguments& arguments) {
  const auto& words = arguments.words();
  if (words.size() == 2 && words[0] == "resume") return resume_run(arguments, words[1]);
  if (is_agent_action(words[0]) && (words.size() > 1 || words[0] == "list")) {
    return agent_action(arguments);
  }
  if (words[0] == "batch") {
    return fail(ErrorCode::kInvalidArgument,
                "agent batch: needs a file of tasks, a line {\"goal\": ...} for each run");
  }
  if (is_agent_action(words[0]) || words[0] == "resume") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("agent {}: needs a run ('filecall agent list' shows them); a goal of "
                            "one word needs more words",
                            words[0]));
  }
  if (words.size() > 1) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}': the goal is one argument; put it in quotes", words[1]));
  }
  if (words[0].find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the goal is empty; say what is to be done");
  }
  return begin(arguments);
}

}  // namespace

int agent_command(const Arguments& arguments) {
  const auto code = agent(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
