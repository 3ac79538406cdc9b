// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::worker::kube {

/// Where a command runs. All pure.

/// The container of a pod that `wanted` names, or the one to take where it is empty: that of the
/// annotation kubectl.kubernetes.io/default-container, or the only one. It must be running.
/// Failures: invalid_argument (there are several), not_found (no such container, with near names),
/// failed_precondition (it is not running, and why).
Result<std::string, Failure> exec_container_of(const Json& pod, const std::string& wanted);

/// The pod of a workload in which a command can run: the first by name of those that are ready, or
/// else of those whose container is running. "" when there is none; `why` is that of the last pod.
std::string choose_exec_pod(const Json& pods, const std::string& container, Failure& why);

}  // namespace filecall::worker::kube
