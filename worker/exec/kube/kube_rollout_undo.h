// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.rolloutUndo: sets a workload's pod template back to that of an earlier revision.
std::unique_ptr<Executor> make_kube_rollout_undo(std::shared_ptr<KubeService> service,
                                                 std::string_view schema);

}  // namespace filecall::worker::kube
