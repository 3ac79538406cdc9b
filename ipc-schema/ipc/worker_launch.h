// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall {

/// Where a provider's key or address comes from, and a digest of what was found there.
struct WorkerSetting {
  std::string provider;
  std::string what;      ///< "key", "base URL" or "script".
  std::string variable;  ///< Of the environment; empty: `file` has it.
  std::string file;      ///< Absolute path.
  std::string digest;    ///< setting_digest() with the launch's salt; empty: there was nothing.
};

/// A provider of language models, as far as requests must fit it.
struct WorkerProvider {
  std::string name;
  std::string kind;
  std::string profile;
  std::vector<std::string> models;  ///< Requests for these go to it; "*" at the end as a wildcard.
  std::vector<std::string> params;  ///< Of llm.chat, those that not every provider takes.
};

/// A tool that the worker's configuration declares, as far as a model must know it.
struct WorkerTool {
  std::string name;
  std::string description;
  Json schema = Json::object();  ///< JSON Schema of its arguments.
};

/// `worker/launch.json`: how the root's last worker was started, for the next start.
/// Holds no environment: keys stay where they are, and only a salted digest tells one from another.
struct WorkerLaunch {
  std::string instance;            ///< The worker that was started so.
  std::vector<std::string> roots;  ///< Empty: the configuration says which.
  std::string config;              ///< Absolute path; empty: none.
  std::string config_digest;       ///< Of the configuration's bytes that are in force; empty: none.
  std::vector<std::string> arguments;  ///< All other flags, but for --drain.
  std::string directory;               ///< Where it was started.
  std::string log_file;                ///< Absolute path of its log; empty: standard error.
  WallTime started_at{};
  bool is_from_client = false;  ///< A client started it, and may start it again.
  std::string salt;             ///< Of the digests; another one each time.
  std::vector<WorkerSetting> settings;
  std::vector<WorkerProvider> providers;
  std::string default_provider;
  std::vector<WorkerTool> tools;
};

/// What `config_digest` says of these bytes.
std::string config_digest(std::string_view bytes);

std::string render_worker_launch(const WorkerLaunch& launch);
/// Lenient on unknown members. Failure: invalid_argument.
Result<WorkerLaunch> parse_worker_launch(std::string_view bytes);

}  // namespace filecall
