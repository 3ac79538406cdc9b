// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.exec: runs one command in a container and answers with its exit code and output, bounded.
/// Only where the configuration allows this command (`kube.exec`).
std::unique_ptr<Executor> make_kube_exec(std::shared_ptr<KubeService> service,
                                         std::string_view schema);

}  // namespace filecall::worker::kube
