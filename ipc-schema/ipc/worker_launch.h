// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace filecall {

/// `worker/launch.json`: how the root's last worker was started, for the next start.
/// Holds no environment: keys stay where they are.
struct WorkerLaunch {
  std::string instance;            ///< The worker that was started so.
  std::vector<std::string> roots;  ///< Empty: the configuration says which.
  std::string config;              ///< Absolute path; empty: none.
  std::string config_digest;       ///< Of the configuration's bytes that are in force; empty: none.
  std::vector<std::string> arguments;  ///< All other flags, but for --drain.
  std::string directory;               ///< Where it was started.
  std::string log_file;                ///< Absolute path of its log; empty: standard error.
  WallTime started_at{};
};

/// What `config_digest` says of these bytes.
std::string config_digest(std::string_view bytes);

std::string render_worker_launch(const WorkerLaunch& launch);
/// Lenient on unknown members. Failure: invalid_argument.
Result<WorkerLaunch> parse_worker_launch(std::string_view bytes);

}  // namespace filecall
