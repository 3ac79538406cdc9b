// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/net/secret.h"

namespace filecall::worker::kube {

/// A client configuration ("kubeconfig") as client-go's clientcmd reads it. All pure: files, the
/// environment and the clock are for others. Paths are absolute or relative to the directory that
/// parse_kubeconfig() got.

/// `clusters[].cluster`
struct ClusterEntry {
  std::string server;
  std::string tls_server_name;
  bool is_insecure = false;
  std::string authority_file;
  std::string authority_data;  ///< PEM, decoded.
  std::string proxy_url;
  bool is_compression_disabled = false;
  Json exec_config;  ///< The extension that exec plugins are given; null without one.
};

/// `users[].user.exec`: a program that prints credentials.
struct ExecEntry {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  bool wants_cluster = false;
  std::string interactive_mode;  ///< Never, IfAvailable, Always; empty: not given.
};

/// `users[].user`
struct UserEntry {
  std::string certificate_file;
  std::string certificate_data;  ///< PEM, decoded.
  std::string key_file;
  Secret key_data;  ///< PEM, decoded.
  Secret token;
  std::string token_file;  ///< Beats `token`.
  std::string username;
  Secret password;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> as_extra;
  std::string auth_provider;  ///< Name of a plugin that client-go had; empty: none.
  std::optional<ExecEntry> exec;
};

/// `contexts[].context`
struct ContextEntry {
  std::string cluster;
  std::string user;
  std::string name_space;
};

struct Kubeconfig {
  std::map<std::string, ClusterEntry, std::less<>> clusters;
  std::map<std::string, UserEntry, std::less<>> users;
  std::map<std::string, ContextEntry, std::less<>> contexts;
  std::string current_context;

  bool is_empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

/// One file's content. `directory`: the file's, with no slash at its end; relative paths in it are
/// relative to that. `file` stands in messages. Failure: invalid_argument, naming the member that
/// has a wrong type, a name that is given twice in a list, or base64 that is none.
Result<Kubeconfig> parse_kubeconfig(const Json& document, const std::string& directory,
                                    const std::string& file);

/// Several files as one: of entries with one name the first file's counts as a whole; of current
/// contexts the first that is not empty.
Kubeconfig merge_kubeconfigs(std::vector<Kubeconfig> files);

}  // namespace filecall::worker::kube
