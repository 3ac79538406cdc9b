// SPDX-License-Identifier: MIT
#include "client/service/pause_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/shell_word.h"

namespace filecall::client {

using spool::PauseKind;

std::vector<Pause> list_pauses(const spool::PauseSet& set) {
  std::vector<Pause> list;
  if (set.everything) list.push_back({PauseKind::kRoot, ""});
  for (const std::string& name : set.destinations) list.push_back({PauseKind::kDestination, name});
  for (const std::string& name : set.batches) list.push_back({PauseKind::kBatch, name});
  return list;
}

std::vector<std::string> names_to_pause(const WorkerStatus& status,
                                        const ProviderCatalog& catalog) {
  std::vector<std::string> names;
  for (const auto& provider : catalog.providers) names.push_back(provider.name);
  for (const auto& command : status.commands) {
    if (command.name.starts_with("system.")) continue;
    names.push_back(command.name);
    if (command.name == "tool.run") names.emplace_back("tool");  // Its destination.
  }
  for (const auto& destination : status.destinations) {
    // One that was used is named by its command, too.
    if (std::find(names.begin(), names.end(), destination.name) == names.end()) {
      names.push_back(destination.name);
    }
  }
  return names;
}

std::string pause_text(const Pause& pause) {
  if (pause.kind == PauseKind::kRoot) return "the root";
  return pause.kind == PauseKind::kBatch ? "batch " + pause.name : pause.name;
}

Json pause_json(const Pause& pause) {
  switch (pause.kind) {
    case PauseKind::kRoot:
      break;
    case PauseKind::kDestination:
      return {{"kind", "destination"}, {"name", pause.name}};
    case PauseKind::kBatch:
      return {{"kind", "batch"}, {"name", pause.name}};
  }
  return {{"kind", "root"}};
}

std::string resume_words(const Pause& pause) {
  if (pause.kind == PauseKind::kRoot) return "";
  return (pause.kind == PauseKind::kBatch ? " --batch " : " ") + shell_word(pause.name);
}

std::string what_holds_the_batch(const std::vector<Pause>& pauses, const std::string& batch) {
  if (batch.empty()) return {};
  for (const Pause& pause : pauses) {
    if (pause.kind != PauseKind::kBatch || pause.name != batch) continue;
    return "its batch is paused; 'filecall resume" + resume_words(pause) + "' ends that";
  }
  return {};
}

std::string what_is_paused(const std::vector<Pause>& pauses) {
  if (pauses.empty()) return "nothing is paused";
  std::string text;
  const std::size_t named = std::min(pauses.size(), spool::kNamedPausesMax);
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + pause_text(pauses[i]);
  if (named < pauses.size()) text += fmt::format(", and {} more", pauses.size() - named);
  return "paused: " + text;
}

}  // namespace filecall::client
