// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.listResources: objects of one kind, as the server's own table or as manifests.
std::unique_ptr<Executor> make_kube_list_resources(std::shared_ptr<KubeService> service,
                                                   std::string_view schema);

}  // namespace filecall::worker::kube
