// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "worker/exec/kube/client/plugin_rules.h"
#include "worker/exec/kube/client/resource_table.h"
#include "worker/exec/kube/client/reveal_permit.h"
#include "worker/exec/kube/model/redaction_rules.h"

namespace filecall::worker::kube {

/// Where writes are allowed.
struct WritableContext {
  std::string context;
  std::vector<std::string> namespaces;  ///< "*": all; kinds that have none need it, too.
  /// As in a request ("Deployment", "roles.rbac.authorization.k8s.io"), perhaps with a subresource
  /// ("deployments/status"). "*" or empty: all that need not be named.
  std::vector<std::string> kinds;
  std::vector<std::string> verbs;  ///< create, patch, delete; empty: all.
};

/// Where which commands may run in containers.
struct ExecContext {
  std::string context;
  std::vector<std::string> namespaces;  ///< "*": all.
  /// How a command may begin, word by word; a single "*": any.
  std::vector<std::vector<std::string>> argv;
};

/// The `kube:` section of the configuration file. The default: whatever contexts the client
/// configuration has, to be read and not to be written.
struct KubeConfig {
  std::string kubeconfig;             ///< Empty: as kubectl finds it.
  std::vector<std::string> contexts;  ///< Those that may be used; empty: all.
  std::vector<WritableContext> writable;
  std::vector<ExecContext> exec;  ///< Empty: no command runs anywhere. `writable` opens none.
  Duration preview_validity = std::chrono::minutes(15);  ///< Of the digest of a preview.
  bool reveal_secrets = false;                           ///< A request may ask for secret values.
  int max_in_flight = 32;                                ///< Requests to one cluster.
  std::shared_ptr<const RedactionRules> redaction;       ///< Null: the rules alone.
  PluginRules plugins;
  std::string cache_directory;  ///< For discovery; empty: memory alone.

  /// Present only when the configuration lets secrets be shown.
  std::optional<RevealPermit> reveal_permit() const {
    return reveal_secrets ? std::optional(RevealPermit()) : std::nullopt;
  }
  /// Whether a write is allowed there (an empty namespace stands for a kind that has none) with all
  /// of these verbs. A subresource is opened by its name ("pods/eviction") alone; "scale" is as
  /// much a part of the object as its spec, and open with it, too.
  bool allows_write(std::string_view context, const Resource& kind, std::string_view name_space,
                    const std::vector<std::string_view>& verbs,
                    std::string_view subresource = "") const;
  /// Whether this command may run in containers there.
  bool allows_exec(std::string_view context, std::string_view name_space,
                   const std::vector<std::string>& argv) const;
};

/// Whether a kind is opened by its name alone: what holds for the whole cluster, gives rights
/// (RBAC), decides about the writes of others (webhooks), or is a Secret.
bool must_be_named(const Resource& kind);

}  // namespace filecall::worker::kube
