// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.rolloutStatus: how far the last change of a workload has come, and its revisions.
std::unique_ptr<Executor> make_kube_rollout_status(std::shared_ptr<KubeService> service,
                                                   std::string_view schema);

}  // namespace filecall::worker::kube
