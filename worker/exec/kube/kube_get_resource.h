// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.getResource: one object, without what is secret and what only machines need.
std::unique_ptr<Executor> make_kube_get_resource(std::shared_ptr<KubeService> service,
                                                 std::string_view schema);

}  // namespace filecall::worker::kube
