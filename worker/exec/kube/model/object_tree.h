// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "ipc/json.h"
#include "worker/exec/kube/model/object_graph.h"

namespace filecall::worker::kube {

/// How much of a tree is shown.
struct TreeLimits {
  int depth = 20;                     ///< Of owners above owners.
  std::size_t bytes_max = 32 * 1024;  ///< Of all rows as JSON text.
};

/// What an object owns, directly or not, and what refers to it:
/// {"columns": ["depth", "kind", "name", ("namespace")], "owned": rows in the order of a tree,
/// "usedBy": [{"kind", "group"?, "name", "namespace"?, "path", "via"?, "viaCount"?, "possible"?}],
/// "complete", "leftOut"?: {"owned"?, "usedBy"?}, "notFollowed"?}.
/// What belongs to each other by ownerReferences (by uid) is owned; what refers to the object or to
/// a pod that it owns (`via` names one) by any other field uses it. Kinds of a group are written
/// Kind.group. `complete` speaks of what is in the graph. `graph` is linked. Pure.
Json describe_tree(const ObjectGraph& graph, std::size_t target, const TreeLimits& limits = {});

}  // namespace filecall::worker::kube
