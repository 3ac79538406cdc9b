// SPDX-License-Identifier: MIT
// What is made of a run's records afterwards: a replay, a script, an undo.
#include <fmt/core.h>

#include <optional>

#include "client/agent/agent_replay.h"
#include "client/agent/core/agent_ids.h"
#include "client/agent/core/record_member.h"
#include "client/agent/policy_judge.h"
#include "client/agent/run_past.h"
#include "client/agent/sandbox_facts.h"
#include "client/agent/script_of_run.h"
#include "client/cli/agent_actions.h"
#include "client/cli/agent_setup.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/proposal_output.h"
#include "client/proposals/proposal.h"
#include "client/report/text_layout.h"
#include "client/service/last_answer.h"
#include "client/threads/spilled_data.h"
#include "client/threads/thread_reader.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

Result<std::vector<ThreadRecord>> whole_records(const spool::Layout& layout,
                                                const std::string& thread, const std::string& run) {
  std::vector<ThreadRecord> records;
  const auto add = [&records](const ThreadRecord& record, const AgentState&) {
    records.push_back(record);
  };
  TRY(read_run_past(layout, thread, run, add, print_error));
  return records;
}

std::shared_ptr<const Response> response_of(const spool::Layout& layout, const std::string& id) {
  // What was given up is in failed/.
  for (const RequestState state : {RequestState::kSuccess, RequestState::kGaveUp}) {
    auto response = last_response(layout, id, state);
    if (response) return std::make_shared<const Response>(std::move(*response));
  }
  return nullptr;
}

std::optional<Json> request_of(const spool::Layout& layout, const std::string& id) {
  const auto text = read_file(layout.request(id), limits::kRequestBytesMax);
  if (!text) return std::nullopt;
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

}  // namespace

Result<int> agent_replay(const Arguments& arguments, const std::string& run) {
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, false));
  const spool::Layout layout = spool::layout_of(options.root);
  TRY_ASSIGN(const AgentOrder order, resumed_order(arguments, options, layout, run));
  TRY_ASSIGN(const auto records, whole_records(layout, order.thread, run));
  std::string catalog_id = agent_ids::catalog(run);
  for (const ThreadRecord& record : records) {
    if (record.type != "run.begun") continue;
    const std::string named = text_at(record.data, "catalog_request");
    if (!named.empty()) catalog_id = named;
  }
  const auto described = response_of(layout, catalog_id);
  if (described == nullptr || !described->is_success()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: the answer with the tools is not there any more; a replay needs "
                            "it",
                            layout.response(catalog_id)));
  }
  TRY_ASSIGN(ToolCatalog catalog, ToolCatalog::read(described->data));
  PolicyJudge judge(order);
  judge.set_sandbox(described_sandbox(catalog.tool_sandbox()));
  judge.set_tool_directory(text_at(catalog.tool_sandbox(), "directory"));
  judge.set_file_directory(catalog.file_directory());
  const Replay replay =
      replay_run(run, records, std::make_shared<ToolCatalog>(std::move(catalog)), judge,
                 {[&](const std::string& id) { return response_of(layout, id); },
                  [&](const std::string& id) { return request_of(layout, id); }});
  const bool is_same = replay.differences.empty() && replay.stopped.empty();
  if (arguments.has("json")) {
    Json differences = Json::array();
    for (const ReplayDifference& one : replay.differences) {
      differences.push_back({{"seq", one.seq}, {"text", one.text}});
    }
    print_json({{"run", run},
                {"steps", replay.steps},
                {"records", replay.records},
                {"differences", std::move(differences)},
                {"stopped", replay.stopped}});
  } else {
    for (const ReplayDifference& one : replay.differences) {
      print(fmt::format("record {}: {}\n", one.seq, one_line(one.text, 1000)));
    }
    if (!replay.stopped.empty())
      print(fmt::format("stopped: {}\n", one_line(replay.stopped, 1000)));
    print(fmt::format("{}: {} steps, {} records, {}\n", run, replay.steps, replay.records,
                      is_same ? "all as they were" : "not as they were"));
  }
  return is_same ? kExitSuccess : kExitGaveUp;
}

Result<int> agent_script(const Arguments& arguments, const std::string& run) {
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  TRY_ASSIGN(const std::string thread, thread_of_known_run(layout, run));
  TRY_ASSIGN(const auto records, whole_records(layout, thread, run));
  const ScriptOfRun script =
      script_of_run(run, records, [&](const std::string& id) { return response_of(layout, id); });
  for (const std::string& missing : script.missing) {
    print_error(fmt::format("{}: its answer is not there any more; the script has no line for it",
                            missing));
  }
  for (const Json& line : script.lines) print(dump_json(line) + "\n");
  return script.missing.empty() ? kExitSuccess : kExitGaveUp;
}

Result<int> agent_undo(const Arguments& arguments, const std::string& run) {
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  TRY_ASSIGN(const std::string thread, thread_of_known_run(layout, run));
  TRY_ASSIGN(const AgentState state, read_agent_state(layout, thread, run));
  const AgentCall* applied = nullptr;
  for (const AgentStep& step : state.steps()) {
    for (const AgentCall& call : step.calls) {
      const bool is_set = call.has_succeeded() && call.tool == "file.propose";
      if (is_set && call.preview.is_object()) applied = &call;
    }
  }
  if (state.branch().is_ready()) {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{}: it changed files on the branch {} alone; nothing else is to be "
                    "undone. Take the branch away: {}",
                    run, state.branch().name, state.branch().next_commands().back().command));
  }
  if (applied == nullptr) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: it has applied no change set; there is nothing to undo", run));
  }
  TRY_ASSIGN(Proposal proposal, proposal_of(applied->preview, applied->request_id));
  proposal.id = applied->request_id;
  return undo_proposal(arguments, std::move(proposal));
}

}  // namespace filecall::client
