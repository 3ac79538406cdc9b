// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/client/kubeconfig.h"

namespace filecall::worker::kube {

/// What may be said of a context: {"name", "allowed", "current", "cluster", "server", "user",
/// "namespace", "problem"}, as far as there is something to say. Names and an address alone: no
/// credential, path or environment. Of a context that is not among `allowed` (empty: all are), its
/// name alone. Pure.
Json describe_context(const Kubeconfig& config, std::string_view name,
                      const std::vector<std::string>& allowed);

}  // namespace filecall::worker::kube
