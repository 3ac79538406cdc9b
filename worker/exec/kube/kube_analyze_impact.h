// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.analyzeImpact: what breaks if an object were deleted. Reads the object and lists every kind
/// that may refer to it, a bounded number of requests; changes nothing. What may not be read is
/// part of the answer.
std::unique_ptr<Executor> make_kube_analyze_impact(std::shared_ptr<KubeService> service,
                                                   std::string_view schema);

}  // namespace filecall::worker::kube
