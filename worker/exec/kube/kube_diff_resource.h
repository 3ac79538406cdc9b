// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.diffResource: what a create, patch or delete would change, as the server itself says (dry
/// run). Writes nothing. The answer's digest and precondition bind the write that may follow.
std::unique_ptr<Executor> make_kube_diff_resource(std::shared_ptr<KubeService> service,
                                                  std::string_view schema);

}  // namespace filecall::worker::kube
