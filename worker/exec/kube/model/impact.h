// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/object_graph.h"

namespace filecall::worker::kube {

/// Objects that an analysis needed and did not get.
struct UnreadKind {
  ObjectKind kind;
  std::string ns;      ///< Empty: in all namespaces, or the kind has none.
  std::string reason;  ///< "permission_denied: ...".
};

struct ImpactOptions {
  /// How far effects are followed: 1 is what refers to the object itself.
  int depth = 3;
  std::size_t resources_max = 500;
};

/// What breaks if the object at `target` were deleted:
/// - `severity` overall, `complete`, `summary`, `intrinsic` {severity, effect} of the kind,
/// - `alsoDeleted`: what the garbage collector takes with it (owners, the contents of a namespace,
///   the objects of a definition),
/// - `impactedResources`: {kind, group?, name, namespace?, refType, path, severity, why, direction,
///   distance, through?}, the worst first; `path` is in the object that refers,
/// - `unread`: kinds that could not be read, with the severity that they may hide; the overall
///   severity is never below it,
/// - `notes`, `depth`, and `omitted` where the list was cut.
///
/// Severities are those of the table, then: an optional reference is at most low; a source that is
/// scaled to nothing, suspended or finished counts one level less; so does a reference that other
/// objects still fit, while a Service that loses its last pod is critical; an object that its
/// controller makes anew is at most low. Each step away from the object counts one level less, and
/// only what breaks (high or more) is followed. Pure.
Json analyze_impact(const ObjectGraph& graph, std::size_t target,
                    const std::vector<UnreadKind>& unread, const ImpactOptions& options = {});

}  // namespace filecall::worker::kube
