// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.explain: what a kind or a field of it means, as the server's OpenAPI document says.
std::unique_ptr<Executor> make_kube_explain(std::shared_ptr<KubeService> service,
                                            std::string_view schema);

}  // namespace filecall::worker::kube
