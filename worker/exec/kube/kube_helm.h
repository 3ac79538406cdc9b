// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.helmRelease: one release of Helm 3 as its storage has it, without secret values.
std::unique_ptr<Executor> make_kube_helm_release(std::shared_ptr<KubeService> service,
                                                 std::string_view schema);
/// kube.helmReleases: the releases of a namespace or of all.
std::unique_ptr<Executor> make_kube_helm_releases(std::shared_ptr<KubeService> service,
                                                  std::string_view schema);

}  // namespace filecall::worker::kube
