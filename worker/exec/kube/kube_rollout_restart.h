// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.rolloutRestart: makes the pods of a workload again, as kubectl rollout restart does.
std::unique_ptr<Executor> make_kube_rollout_restart(std::shared_ptr<KubeService> service,
                                                    std::string_view schema);

}  // namespace filecall::worker::kube
