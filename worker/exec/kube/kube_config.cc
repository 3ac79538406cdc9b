// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_config.h"

#include <algorithm>

namespace filecall::worker::kube {

bool KubeConfig::allows_write(std::string_view context, std::string_view name_space) const {
  return std::ranges::any_of(writable, [&](const WritableContext& entry) {
    return entry.context == context &&
           std::ranges::any_of(entry.namespaces, [&](const std::string& allowed) {
             return allowed == "*" || (!name_space.empty() && allowed == name_space);
           });
  });
}

}  // namespace filecall::worker::kube
