// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/context_list.h"

#include <algorithm>

#include "worker/exec/kube/client/cluster_access.h"

namespace filecall::worker::kube {

Json describe_context(const Kubeconfig& config, std::string_view name,
                      const std::vector<std::string>& allowed) {
  const bool is_allowed = allowed.empty() || std::ranges::find(allowed, name) != allowed.end();
  Json row{{"name", name}, {"allowed", is_allowed}, {"current", config.current_context == name}};
  row["default"] = false;
  if (!is_allowed) return row;
  const auto context = config.contexts.find(name);
  if (context == config.contexts.end()) {
    row["problem"] = "kube.contexts names it, and the client configuration has no such context";
    return row;
  }
  const ContextEntry& entry = context->second;
  row["cluster"] = entry.cluster;
  if (!entry.user.empty()) row["user"] = entry.user;
  row["namespace"] = entry.name_space.empty() ? "default" : entry.name_space;
  if (const auto access = choose_access(config, name)) {
    row["server"] = access->server;
  } else {
    row["problem"] = access.error().message;
  }
  return row;
}

}  // namespace filecall::worker::kube
