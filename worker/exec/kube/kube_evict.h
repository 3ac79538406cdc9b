// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.evict: takes a pod from its node, as far as its disruption budget lets it.
std::unique_ptr<Executor> make_kube_evict(std::shared_ptr<KubeService> service,
                                          std::string_view schema);

}  // namespace filecall::worker::kube
