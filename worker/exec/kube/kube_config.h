// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/client/plugin_rules.h"
#include "worker/exec/kube/client/reveal_permit.h"

namespace filecall::worker::kube {

/// Where writes are allowed.
struct WritableContext {
  std::string context;
  std::vector<std::string> namespaces;  ///< "*": all, and kinds that have none.
};

/// The `kube:` section of the configuration file. The default: whatever contexts the client
/// configuration has, to be read and not to be written.
struct KubeConfig {
  std::string kubeconfig;             ///< Empty: as kubectl finds it.
  std::vector<std::string> contexts;  ///< Those that may be used; empty: all.
  std::vector<WritableContext> writable;
  bool reveal_secrets = false;  ///< A request may ask for secret values.
  int max_in_flight = 32;       ///< Requests to one cluster.
  PluginRules plugins;
  std::string cache_directory;  ///< For discovery; empty: memory alone.

  /// Present only when the configuration lets secrets be shown.
  std::optional<RevealPermit> reveal_permit() const {
    return reveal_secrets ? std::optional(RevealPermit()) : std::nullopt;
  }
  /// Whether a write there is allowed; an empty namespace stands for a kind that has none.
  bool allows_write(std::string_view context, std::string_view name_space) const;
};

}  // namespace filecall::worker::kube
