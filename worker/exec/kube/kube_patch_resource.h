// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// kube.patchResource: one PATCH: a server-side apply, a JSON merge patch or a JSON patch. An apply
/// reads the object before, to see that it is there and what the apply took away.
std::unique_ptr<Executor> make_kube_patch_resource(std::shared_ptr<KubeService> service,
                                                   std::string_view schema);

}  // namespace filecall::worker::kube
