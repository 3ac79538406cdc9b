// SPDX-License-Identifier: MIT
#include "client/agent/sandbox_facts.h"

#include "client/agent/core/record_member.h"
#include "client/engine/worker_process.h"

namespace filecall::client {
namespace {

SandboxFacts unknown_sandbox() {
  return {.level = "unknown", .hides_root = false, .has_network = true};
}

}  // namespace

SandboxFacts described_sandbox(const Json& tool_sandbox) {
  const std::string level = text_at(tool_sandbox, "level");
  if (level.empty()) return unknown_sandbox();
  SandboxFacts facts{level, flag_at(tool_sandbox, "hides_root"),
                     flag_at(tool_sandbox, "network", true)};
  for (const Json& root : value_at(tool_sandbox, "roots")) {
    if (root.is_string()) facts.roots.push_back(root.get<std::string>());
  }
  return facts;
}

std::optional<WorkerPlace> place_of_worker(const std::string& root) {
  const auto view = worker_view(root);
  if (!view || view->presence == WorkerPresence::kNotRunning) return std::nullopt;
  WorkerPlace place{.sandbox = unknown_sandbox()};
  if (!view->status) return place;
  place.file_directory = view->status->file_directory;
  if (view->status->tool_sandbox) {
    const ToolConfinement& said = *view->status->tool_sandbox;
    place.sandbox = {said.level, said.hides_root, said.has_network, said.roots};
  }
  return place;
}

}  // namespace filecall::client
