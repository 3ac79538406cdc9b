// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <utility>

#include "base/count_text.h"
#include "client/agent/agent_pool.h"
#include "client/agent/agent_tasks.h"
#include "client/agent/core/run_result.h"
#include "client/cli/agent_actions.h"
#include "client/cli/agent_setup.h"
#include "client/cli/agent_view.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/report/text_layout.h"
#include "os/io.h"
#include "os/process.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kTasksBytesMax = std::size_t{256} << 20;
constexpr std::int64_t kRunsMax = 10'000;
/// A log, a reader and a lock for each run, and what the engine needs.
constexpr std::size_t kDescriptorsPerRun = 4;

std::string name_of_file(const std::string& path) {
  std::string name;
  for (const char c : std::filesystem::path(path).stem().string()) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += is_plain ? c : '-';
  }
  // A run is named again on the command line.
  if (name.empty() || name.starts_with('-')) name = "tasks" + name;
  return name.substr(0, 40);
}

/// Why a run is not done.
std::string reason_of(const AgentOutcome& outcome) {
  if (outcome.error) return outcome.error->message;
  const AgentState& state = outcome.state;
  const AgentStep* step = state.step();
  const bool waits =
      !state.is_over() && step != nullptr && !step->approval.empty() && !step->is_decided;
  return waits ? "waits for a decision on " + step->approval : state.end_reason();
}

/// What became of the runs of a batch.
struct Tally {
  std::map<std::string, std::int64_t> by_status;
  std::int64_t total = 0;
  std::int64_t had_ended = 0;  ///< Before this command.
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  double cost = 0;
  bool is_cost_known = true;
  Json failures = Json::array();

  void add(const AgentOutcome& outcome) {
    ++total;
    const AgentState& state = outcome.state;
    const std::string status = outcome.is_busy     ? "busy"
                               : outcome.error     ? "failed"
                               : state.is_over()   ? std::string(to_string(state.end()))
                               : state.is_parked() ? "parked"
                                                   : "left";
    ++by_status[status];
    if (outcome.had_ended) ++had_ended;
    steps += state.step_count();
    tokens += state.tokens();
    cost += state.cost();
    is_cost_known = is_cost_known && state.is_cost_known();
    if (status == "done" || failures.size() >= 100) return;
    failures.push_back({{"run", outcome.run}, {"status", status}, {"reason", reason_of(outcome)}});
  }
  std::int64_t count(const std::string& status) const {
    const auto found = by_status.find(status);
    return found == by_status.end() ? 0 : found->second;
  }
  int exit_code() const {
    if (count("failed") + count("cancelled") > 0) return kExitGaveUp;
    if (count("busy") > 0) return kExitBusy;
    if (count("parked") > 0) return kExitDecision;
    return count("budget") + count("loop") > 0 ? kExitLimit : kExitSuccess;
  }
};

void print_tally(const Arguments& arguments, const Tally& tally, const std::string& name) {
  if (arguments.has("json")) {
    Json statuses = Json::object();
    for (const auto& one : tally.by_status) statuses[one.first] = one.second;
    print_json({{"name", name},
                {"runs", tally.total},
                {"by_status", std::move(statuses)},
                {"had_ended", tally.had_ended},
                {"steps", tally.steps},
                {"tokens", tally.tokens},
                {"cost", tally.is_cost_known ? Json(tally.cost) : Json()},
                {"not_done", tally.failures}});
    return;
  }
  for (const Json& one : tally.failures) {
    print(fmt::format("{}: {}: {}\n", one["run"].get<std::string>(),
                      one["status"].get<std::string>(),
                      one_line(one["reason"].get<std::string>(), 300)));
  }
  std::string text = counted_noun(tally.total, "run");
  const char* before = ": ";
  for (const auto& one : tally.by_status) {
    text += fmt::format("{}{} {}", std::exchange(before, ", "), one.second, one.first);
  }
  if (tally.had_ended > 0) {
    text += fmt::format("; {} of them had ended before, and {} not run again", tally.had_ended,
                        tally.had_ended == 1 ? "was" : "were");
  }
  print(fmt::format("{}; {}, {}\n", text, counted_noun(tally.steps, "step"),
                    counted_noun(tally.tokens, "token")));
  if (tally.count("failed") + tally.count("cancelled") > 0) {
    print_error(
        "a run that failed or was cancelled stays as it is; --run NAME runs the file again, "
        "under other ids");
  }
}

}  // namespace

Result<int> agent_batch(const Arguments& arguments, const std::string& path) {
  TRY_ASSIGN(OrchestratorOptions options, engine_options(arguments, true));
  TRY_ASSIGN(const std::int64_t repeat, arguments.integer("repeat", 1, 1, 10'000));
  AgentPoolOptions pool_options;
  TRY_ASSIGN(pool_options.durability, arguments.durability());
  TRY_ASSIGN(pool_options.wait_max, arguments.duration("wait", Duration::zero()));
  TRY_ASSIGN(const std::int64_t runs, arguments.integer("runs", 64, 1, kRunsMax));
  pool_options.runs_max = static_cast<int>(runs);
  if (arguments.has("no-wait")) pool_options.wait = AgentWait::kDeny;
  if (arguments.has("wait")) pool_options.wait = AgentWait::kWait;
  raise_descriptor_limit(static_cast<std::size_t>(runs) * kDescriptorsPerRun + 1024);
  const std::string scenario =
      arguments.has("scenario") ? arguments.text("scenario") : std::string(kDefaultScenario);
  const std::string name = arguments.has("run") ? arguments.text("run") : name_of_file(path);
  TRY_ASSIGN(AgentOrder base, agent_order(arguments, options, scenario));
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    return fail(ErrorCode::kInvalidArgument, path + ": is a directory; name a file of tasks");
  }
  TRY_ASSIGN(const std::string text, read_file(path, kTasksBytesMax));
  auto tasks = AgentTasks::read(text, name, repeat, std::move(base));
  if (!tasks) return fail(tasks.error().code, path + ": " + tasks.error().message);
  if (tasks->count() == 0) print_error(path + " holds no tasks; there is nothing to do");
  options.batch = name;
  const spool::Layout layout = spool::layout_of(options.root);
  TRY_ASSIGN(const auto engine, Orchestrator::open(options));
  TRY_ASSIGN(ApprovalFiles approvals, ApprovalFiles::open(layout, true, pool_options.durability));
  AgentView view(
      {.is_quiet = arguments.has("quiet"), .to_error = arguments.has("json"), .names_runs = true});
  Tally tally;
  AgentPool pool(*engine, layout, approvals, *tasks, pool_options, view, nullptr,
                 [&](const AgentOutcome& outcome) { tally.add(outcome); });
  const InterruptScope scope(engine->interruption());
  TRY_ASSIGN(const RunEnd end, engine->run(pool, pool));
  if (end != RunEnd::kDone) {
    const bool is_cancelled = engine->interruption().is_urgent();
    pool.end_all(is_cancelled, is_cancelled ? "interrupted twice" : "interrupted");
  }
  print_tally(arguments, tally, name);
  if (end == RunEnd::kInterrupted && engine->interruption().is_urgent()) {
    print_error("interrupted twice: the runs that had not ended are cancelled");
    return kExitInterrupted;
  }
  if (end != RunEnd::kDone) {
    return explain_end(end, options.root, "the same 'filecall agent batch' command");
  }
  if (const std::int64_t parked = tally.count("parked"); parked > 0) {
    print_error(
        fmt::format("{} for a decision: 'filecall approvals' shows the calls; decide them with "
                    "'filecall approve ID' or 'filecall deny ID', then give the same command again",
                    parked == 1 ? "a run waits" : fmt::format("{} runs wait", parked)));
  }
  return tally.exit_code();
}

}  // namespace filecall::client
