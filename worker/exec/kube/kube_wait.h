// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.wait: until objects are there, gone, or show a condition or value.
std::unique_ptr<Executor> make_kube_wait(std::shared_ptr<KubeService> service,
                                         std::string_view schema);

}  // namespace filecall::worker::kube
