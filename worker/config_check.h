// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/kube_config.h"

namespace filecall::worker {

/// The outcome of asking one LLM provider for its models.
struct ProviderCheck {
  std::string name;
  std::string kind;
  std::string profile;
  std::string base_url;  ///< Empty: it is searched on this machine.
  std::string key_file;  ///< Where the key comes from; both empty: it has none.
  std::string key_variable;
  bool has_key = false;  ///< Whether a key was there.
  std::int64_t models = 0;
  std::string problem;  ///< Empty: it answers.
};

/// The outcome of asking the cluster of one context for its version.
struct ContextCheck {
  std::string name;
  std::string server;  ///< Empty: the context could not be read.
  std::string version;
  std::string problem;                  ///< Empty: it answers.
  std::vector<kube::ExecContext> exec;  ///< What kube.exec may run there.
};

/// What is to be known of tools.
struct ToolCheck {
  std::string sandbox;  ///< tool.sandbox
  bool has_process_namespace = false;
  std::string control_group;  ///< The folder in which each run gets one; empty: none does.
};

/// What `--check-config` found; the configuration itself is valid.
struct ConfigCheck {
  std::vector<ProviderCheck> providers;
  std::vector<ContextCheck> contexts;
  std::optional<ToolCheck> tools;          ///< nullopt: it is not known, or no tool is allowed.
  std::vector<std::string> file_roots;     ///< What requests may read.
  std::vector<std::string> file_writable;  ///< And change.
  std::vector<std::string> file_notes;     ///< What works there, and may surprise.
  std::string git_library;                 ///< The version of libgit2.
  std::vector<std::string> problems;  ///< Why nothing is known of providers, contexts or tools.
};

/// A line for each server, for people. Pure.
std::string config_check_text(const ConfigCheck& check);
/// {"valid", "providers", "contexts", "tools", "files", "problems"}, for programs. Pure.
Json config_check_json(const ConfigCheck& check);
/// The same of a configuration that is refused.
Json config_refusal_json(const std::string& problem);

}  // namespace filecall::worker
