// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.canI: whether these credentials may do something (SelfSubjectAccessReview).
std::unique_ptr<Executor> make_kube_can_i(std::shared_ptr<KubeService> service,
                                          std::string_view schema);

}  // namespace filecall::worker::kube
