// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/client/kubeconfig.h"

namespace filecall::worker::kube {

/// One context with everything it names: a server and who speaks to it.
struct ClusterAccess {
  std::string context;  ///< "in-cluster" for the configuration that a pod finds around it.
  std::string name_space = "default";
  /// Normal form: scheme, host, port, path prefix; no slash at the end, no query.
  std::string server;
  ClusterEntry cluster;
  UserEntry user;

  /// Credentials are sent over TLS alone, as client-go does it.
  bool has_tls() const { return server.starts_with("https://"); }
};

/// The context that is asked for, or the current one when `context` is empty, checked as clientcmd
/// checks it, with its messages. Pure. Failures: not_found (no such context: names those there
/// are), failed_precondition (dangling names, contradictory or unsupported credentials).
Result<ClusterAccess> choose_access(const Kubeconfig& config, std::string_view context);

/// The server's address in its normal form. Without a scheme it is https when `is_tls`, else http.
/// Failure: failed_precondition.
Result<std::string> normal_server(const std::string& server, bool is_tls);

}  // namespace filecall::worker::kube
