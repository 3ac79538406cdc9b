// SPDX-License-Identifier: MIT
#include "client/cli/agent_actions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/visible_text.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/run_cancel.h"
#include "client/agent/core/run_result.h"
#include "client/agent/result_labels.h"
#include "client/agent/run_past.h"
#include "client/agent/run_request.h"
#include "client/approval/approval_files.h"
#include "client/cli/agent_setup.h"
#include "client/cli/agent_view.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"
#include "client/service/ledger.h"
#include "client/threads/run_lock.h"
#include "client/threads/thread_log.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::array<std::string_view, 9> kActions = {
    "resume", "show", "list", "cancel", "steer", "undo", "replay", "script", "batch"};

constexpr const char* kRunning = "running";
/// It has not ended, and no process goes on with it: its client was killed.
constexpr const char* kLeft = "left";

Result<int> show_agent_run(const Arguments& arguments, const spool::Layout& layout,
                           const std::string& run) {
  TRY_ASSIGN(const std::string thread, thread_of_known_run(layout, run));
  std::string text;
  const auto add = [&text](const ThreadRecord& record, const AgentState& state) {
    const std::string line = agent_line({record.type, record.data}, state);
    if (!line.empty()) text += record.at + " " + line + "\n";
  };
  TRY_ASSIGN(const RunPast past, read_run_past(layout, thread, run, add, print_error));
  const AgentState& state = past.state;
  if (arguments.has("json")) {
    Json result = run_result(run, state);
    const bool is_driven_now = is_driven(layout, thread, run);
    if (result["status"] == kRunning && !is_driven_now) result["status"] = kLeft;
    // What it had begun is recorded when it is resumed.
    if (state.is_cancelled() && !state.is_over() && !is_driven_now) result["status"] = "cancelled";
    result["thread"] = thread;
    print_json(result);
    return kExitSuccess;
  }
  print(fmt::format("run {}, thread {}, scenario {}\n", run, visible_line(thread),
                    visible_line(state.settings().scenario)));
  const ReportForm form = output_colour() ? ReportForm::kMarkdown : ReportForm::kPlain;
  print_folded(text + agent_end_text(run, state, form), "  | ");
  if (!state.is_over()) {
    const AgentStep* step = state.step();
    const bool waits = step != nullptr && !step->approval.empty() && !step->is_decided;
    std::string next = fmt::format("has not ended; 'filecall agent resume {}' goes on", run);
    if (waits) next = fmt::format("waits for a decision on {}", step->approval);
    if (state.is_cancelled()) {
      next = fmt::format(
          "was cancelled; 'filecall agent resume {}' writes down what became of what it had begun",
          run);
    }
    print(fmt::format("\n{}: {}\n", run, next));
  }
  return kExitSuccess;
}

struct UnendedRun {
  std::string thread;
  AgentState state;
};

/// Failure: failed_precondition, it has ended.
Result<UnendedRun> run_that_has_not_ended(const spool::Layout& layout, const std::string& run) {
  UnendedRun found;
  TRY_ASSIGN(found.thread, thread_of_known_run(layout, run));
  TRY_ASSIGN(found.state, read_agent_state(layout, found.thread, run));
  if (!found.state.is_over()) return found;
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: it has ended ({})", run, to_string(found.state.end())));
}

Result<ThreadLogOptions> options_to_append(const Arguments& arguments) {
  ThreadLogOptions options;
  options.creates = false;
  options.now = wall_now();
  TRY_ASSIGN(options.durability, arguments.durability());
  return options;
}

/// What goes on hears of it within a second; what does not, when it goes on.
Result<int> append(const Arguments& arguments, const spool::Layout& layout, const std::string& run,
                   const std::string& type, Json data) {
  TRY_ASSIGN(const UnendedRun found, run_that_has_not_ended(layout, run));
  if (found.state.is_cancelled()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{0}: it was cancelled; it ends when what it had begun has ended, with "
                            "'filecall agent resume {0}' where no process drives it",
                            run));
  }
  const std::string& thread = found.thread;
  TRY_ASSIGN(ThreadLogOptions options, options_to_append(arguments));
  TRY_ASSIGN(const auto log, ThreadLog::open(layout, thread, std::move(options)));
  TRY_ASSIGN(const std::int64_t seq, log->append(type, run, std::move(data), wall_now()));
  if (arguments.has("json")) {
    print_json({{"run", run}, {"thread", thread}, {"seq", seq}});
  } else if (!arguments.has("quiet")) {
    print(
        fmt::format("{}: written; a run that goes on hears of it at once, another one when it "
                    "is resumed\n",
                    run));
  }
  return kExitSuccess;
}

/// What the run has asked and nobody waits for any more.
Result<void> end_requests(const Arguments& arguments, const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  TRY_ASSIGN(const auto ends, ledger->changes().cancel_all(ids, seconds(5)));
  for (const IdCancel& one : ends) {
    const bool is_past = one.effect || one.effect.error().code == ErrorCode::kNotFound ||
                         one.effect.error().code == ErrorCode::kFailedPrecondition;
    if (!is_past) return Unexpected(one.effect.error());
  }
  return {};
}

/// The run has ended by its records; leaves its result to the worker. Returns what to say.
std::string leave_result(const spool::Layout& layout, const RunLabels& labels,
                         const AgentState& state, Durability durability) {
  const auto left = leave_result_request(layout, labels, state, durability);
  if (!left) print_error(left.error().message);
  if (left && *left) return fmt::format("{}: cancelled\n", labels.run);
  return fmt::format(
      "{0}: cancelled; its result is not written yet: 'filecall agent resume {0}' "
      "writes it\n",
      labels.run);
}

/// A run that goes on is asked to end; one that nobody drives ends here.
Result<int> cancel_run(const Arguments& arguments, const spool::Layout& layout,
                       const std::string& run) {
  constexpr const char* kWhy = "filecall agent cancel";
  TRY_ASSIGN(UnendedRun found, run_that_has_not_ended(layout, run));
  TRY_ASSIGN(ThreadLogOptions options, options_to_append(arguments));
  options.holder = "filecall agent cancel " + run;
  const auto log = ThreadLog::open(layout, found.thread, options);
  if (!log) return append(arguments, layout, run, "run.cancelled", {{"why", kWhy}});
  // A process that drove it may have recorded more until the thread was ours.
  TRY_ASSIGN(found, run_that_has_not_ended(layout, run));
  AgentState& state = found.state;
  const RunCancel plan = plan_cancel(state, kWhy);
  const AgentStep* step = state.step();
  if (step != nullptr && !step->approval.empty() && !step->is_decided) {
    TRY_ASSIGN(ApprovalFiles approvals, ApprovalFiles::open(layout, true, options.durability));
    TRY(approvals.withdraw(step->approval, "its run was cancelled"));
  }
  const WallTime now = std::chrono::floor<std::chrono::milliseconds>(wall_now());
  std::vector<NewRecord> records;
  for (const AgentRecord& one : plan.records) records.push_back({one.type, run, one.data});
  TRY_ASSIGN(const std::int64_t seq, (*log)->append_all(std::move(records), now));
  for (const AgentRecord& one : plan.records) state.fold(one.type, one.data, now);
  std::string text =
      plan.is_end ? leave_result(layout, {run, found.thread, task_of_run(layout, run, state)},
                                 state, options.durability)
                  : fmt::format(
                        "{0}: cancelled; what it has begun is asked to end: 'filecall agent resume "
                        "{0}' writes down what became of it\n",
                        run);
  TRY(end_requests(arguments, plan.requests));
  if (arguments.has("json")) {
    print_json({{"run", run}, {"thread", found.thread}, {"seq", seq}});
  } else if (!arguments.has("quiet")) {
    print(text);
  }
  return kExitSuccess;
}

}  // namespace

bool is_agent_action(std::string_view word) {
  return std::find(kActions.begin(), kActions.end(), word) != kActions.end();
}

Result<AgentState> read_agent_state(const spool::Layout& layout, const std::string& thread,
                                    const std::string& run) {
  TRY_ASSIGN(RunPast past, read_run_past(layout, thread, run));
  TRY(check_has_begun(past, run));
  return std::move(past.state);
}

Result<int> agent_action(const Arguments& arguments) {
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  const auto& words = arguments.words();
  const std::size_t taken = words[0] == "list" ? 1 : words[0] == "steer" ? 3 : 2;
  if (words.size() > taken) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("agent {}: '{}' is one argument too many; see 'filecall agent --help'",
                            words[0], one_line(words[taken], 60)));
  }
  if (words[0] == "list") return agent_list(arguments);
  if (words[0] == "show") return show_agent_run(arguments, layout, words[1]);
  if (words[0] == "batch") return agent_batch(arguments, words[1]);
  if (words[0] == "replay") return agent_replay(arguments, words[1]);
  if (words[0] == "script") return agent_script(arguments, words[1]);
  if (words[0] == "undo") return agent_undo(arguments, words[1]);
  if (words[0] == "cancel") return cancel_run(arguments, layout, words[1]);
  if (words[0] == "steer") {
    if (words.size() < 3 || words[2].find_first_not_of(" \t\r\n") == std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "agent steer: RUN and TEXT, in quotes");
    }
    return append(arguments, layout, words[1], "steer", {{"text", words[2]}});
  }
  return fail(ErrorCode::kInvalidArgument, words[0] + ": no such action");
}

}  // namespace filecall::client
