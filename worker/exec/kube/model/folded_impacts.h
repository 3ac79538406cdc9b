// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "worker/exec/kube/model/impact_analysis.h"

namespace filecall::worker::kube {

/// All that happens to one object, and to what it controls.
struct FoldedImpact {
  const Impact* worst = nullptr;
  std::size_t more_paths = 0;               ///< Further references of the same object.
  std::map<std::string, std::size_t> with;  ///< Objects that it controls, by kind.
  std::vector<const Impact*> covered;       ///< Their worst impacts.
};

/// Each object once, in the order of their worst impacts. An object whose controller is affected in
/// the same way, as near and as badly or worse, is counted with that controller. Pure.
std::vector<FoldedImpact> fold_impacts(const ObjectGraph& graph,
                                       const std::vector<Impact>& impacts);

}  // namespace filecall::worker::kube
