// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.tree: who owns an object, what it owns, and what uses it.
std::unique_ptr<Executor> make_kube_tree(std::shared_ptr<KubeService> service,
                                         std::string_view schema);

}  // namespace filecall::worker::kube
