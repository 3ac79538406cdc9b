// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::worker::kube {

/// The label selector, as a query takes it ("app=web,tier in (a,b),!old"), by which a workload or a
/// Service chooses its pods. Failure: invalid_argument, when it chooses none by labels (a CronJob,
/// a ConfigMap, an empty selector). Pure.
Result<std::string, Failure> pod_selector_of(const Json& object);

/// One log to read.
struct LogStream {
  std::string pod;
  std::string container;
};

struct LogStreams {
  std::vector<LogStream> streams;
  std::size_t pods = 0;           ///< Pods that were found.
  std::size_t pods_left_out = 0;  ///< Of which no container, or not every one, is read.
};

/// Which logs of these pods are read: the newest pods first, all containers of each or `container`
/// alone (also an init container or an ephemeral one), at most `pods_max` pods and `streams_max`
/// logs. A pod without that container is left out. Pure.
LogStreams choose_log_streams(const Json& pods, const std::string& container, std::size_t pods_max,
                              std::size_t streams_max);

}  // namespace filecall::worker::kube
