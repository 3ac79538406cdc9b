// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "ipc/limits.h"
#include "ipc/worker_launch.h"
#include "os/log_sink.h"
#include "worker/core/destination_window.h"
#include "worker/core/user_limits.h"
#include "worker/engine/directory_source.h"
#include "worker/exec/file/file_config.h"
#include "worker/exec/kube/kube_config.h"
#include "worker/exec/llm/llm_config.h"
#include "worker/exec/tool/tool_config.h"

namespace filecall::worker {

/// Everything that can be set, from the configuration file and the command line. Values are checked
/// by their readers; defaults are what most people want.
struct Config {
  std::string digest;   ///< Of the file's bytes (config_digest); empty: no file.
  WorkerLaunch launch;  ///< How it was asked for, for the next start.
  std::vector<std::string> roots;
  DirectorySourceOptions source;  ///< Durability, settle time, request limits, who may own it.
  Duration grace = limits::kGrace;
  bool drain = false;
  LogOptions log;
  LogLevel log_level = LogLevel::kInfo;
  /// Of the group whose roots it serves; empty: no group's.
  std::string group;
  /// What one user may have of a group's root at a time.
  UserLimits per_user{.running_max = 0, .waiting_max = limits::kUserWaitingMax};
  /// Flow control by destination; "" is the default for those not named.
  std::map<std::string, DestinationLimits, std::less<>> destinations;
  ToolConfig tool;
  llm::LlmConfig llm;
  kube::KubeConfig kube;
  file::FileConfig file;
};

}  // namespace filecall::worker
