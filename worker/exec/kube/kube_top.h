// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.top: what pods or nodes use, beside what they ask for.
std::unique_ptr<Executor> make_kube_top(std::shared_ptr<KubeService> service,
                                        std::string_view schema);

}  // namespace filecall::worker::kube
