// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/kube/client/api_call.h"
#include "worker/exec/kube/client/resource_table.h"

namespace filecall::worker::kube {

/// What the commands about Deployments, StatefulSets and DaemonSets share. All pure.

/// Why a kind has no rollouts; nullopt: it has.
std::optional<Failure> refuse_rollout(const Resource& resource);

/// Why a workload that is paused takes no new rollout; nullopt: it is not paused.
std::optional<Failure> refuse_paused(const Json& workload);

/// The list of what keeps the revisions of a workload: ReplicaSets of a Deployment, else
/// ControllerRevisions, by the workload's own selector.
ApiRequest revisions_request(std::string_view kind, const Json& workload,
                             std::string_view name_space);

}  // namespace filecall::worker::kube
