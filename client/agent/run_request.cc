// SPDX-License-Identifier: MIT
#include "client/agent/run_request.h"

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/run_result.h"
#include "client/engine/worker_process.h"
#include "ipc/json_text.h"
#include "spool/client_files.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

std::string result_id_of(const AgentState& state, const std::string& run) {
  return agent_ids::result(run, state.continuations() + 1);
}

}  // namespace

bool is_result_of(const AgentState& state, const std::string& run, const std::string& id) {
  return id == result_id_of(state, run);
}

std::string run_request_text(const RunLabels& labels, const AgentState& state,
                             const AgentEffect& effect, bool is_streamed) {
  Json metadata = labels.metadata.is_object() ? labels.metadata : Json::object();
  metadata["agent_run"] = labels.run;
  metadata["agent_thread"] = labels.thread;
  // Graders and reports find the runs of a model by it, whichever way it was asked for.
  if (is_result_of(state, labels.run, effect.id)) {
    const std::string& who = state.answered_by();
    const std::size_t slash = who.find('/');
    if (slash != std::string::npos) metadata["provider"] = who.substr(0, slash);
    if (!who.empty()) metadata["model"] = who.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  std::string text = R"({"command":)";
  append_json_string(text, effect.command);
  text += R"(,"metadata":)";
  append_json(text, metadata);
  text += R"(,"params":)";
  append_json(text, effect.params);
  text += R"(,"request_id":)";
  append_json_string(text, effect.id);
  if (is_streamed) text += R"(,"stream":true)";
  return text + "}\n";
}

Result<bool> leave_result_request(const spool::Layout& layout, const RunLabels& labels,
                                  const AgentState& state, Durability durability) {
  TRY_ASSIGN(const WorkerView worker, worker_view(layout.root()));
  const bool answers =
      worker.presence == WorkerPresence::kReady || worker.presence == WorkerPresence::kStarting;
  if (!answers) return false;
  AgentEffect result;
  result.id = result_id_of(state, labels.run);
  result.command = "system.echo";
  result.params = run_result(labels.run, state);
  TRY_ASSIGN(const spool::Root root,
             spool::Root::open(layout.root(), {.allow_shared = false, .create = false}));
  TRY(spool::drop_request(*root.directories(), result.id,
                          run_request_text(labels, state, result, false), durability));
  return true;
}

}  // namespace filecall::client
