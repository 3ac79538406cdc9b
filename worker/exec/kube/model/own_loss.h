// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "worker/exec/kube/model/object_graph.h"

namespace filecall::worker::kube {

/// What is lost with an object itself, whatever refers to it.
struct OwnLoss {
  Severity severity = Severity::kNone;
  std::string effect;
  std::size_t object = 0;
};

/// Why the object does nothing now, so that a loss does not hurt at once; "" when it runs.
std::string_view idleness(const GraphObject& object);

/// The worst that is lost with the objects of `deleted` themselves, by the rows of the table that
/// hold for them as they are. Pure.
OwnLoss worst_own_loss(const ObjectGraph& graph, std::size_t target,
                       const std::set<std::size_t>& deleted);

}  // namespace filecall::worker::kube
