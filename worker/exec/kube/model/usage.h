// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// What the metrics API says of pods or nodes, beside what their specifications ask for.
struct UsageQuestion {
  bool has_namespaces = false;  ///< A column says where a pod is.
  bool by_container = false;    ///< A row for each container of a pod.
  std::string sort_by = "cpu";  ///< cpu, memory or name.
  std::size_t rows_max = 50;
};

/// {"columns", "rows", "returned", "left_out"?, "withoutMetrics", "oldest"?, "newest"?, "window"?}.
/// Processors in thousandths (rounded up), memory in MiB (rounded down, as kubectl top does it);
/// null: not said. A request of a pod is what the scheduler counts: the sum of its containers'
/// and sidecars', or what an init container needs before them, or what the pod itself asks for;
/// with its overhead. Its limit is one only where every container and sidecar, or the pod, has one.
/// `pods` null: they could not be read, and nothing is known of requests. Pods that have ended use
/// nothing and are left out; those without metrics stand at the end. Pure.
Json pod_usage(const Json& metrics, const Json& pods, const UsageQuestion& question);
/// The same of nodes: what they have (allocatable), use, and what the pods on them ask for.
Json node_usage(const Json& metrics, const Json& nodes, const Json& pods,
                const UsageQuestion& question);

}  // namespace filecall::worker::kube
