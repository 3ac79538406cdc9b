// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.logs: the last lines of a container, or of all that a workload or a selector chooses,
/// bounded.
std::unique_ptr<Executor> make_kube_logs(std::shared_ptr<KubeService> service,
                                         std::string_view schema);

}  // namespace filecall::worker::kube
