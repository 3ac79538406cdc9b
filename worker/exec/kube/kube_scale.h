// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.scale: sets the number of replicas, through the scale subresource.
std::unique_ptr<Executor> make_kube_scale(std::shared_ptr<KubeService> service,
                                          std::string_view schema);

}  // namespace filecall::worker::kube
