// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/client/cluster_access.h"
#include "worker/exec/kube/client/exec_plugin.h"
#include "worker/exec/kube/client/kubeconfig_files.h"
#include "worker/exec/kube/client/reread_file.h"
#include "worker/net/http_message.h"

namespace filecall::worker::kube {

/// Who one context is, and whom it trusts: puts both into requests. Files are read again once a
/// minute; what a plugin printed is kept until ten seconds before it expires. Loop thread only.
class Credentials {
 public:
  Credentials(uv_loop_t* loop, PluginRules rules, ClusterAccess access, Environment environment);

  /// Calls `then` once sign() may be called: at once, unless a plugin must run first. `error` null:
  /// they are there. Must not be destroyed from within `then`.
  void prepare(std::function<void(const Error* error)> then);
  /// Adds trust, certificate, Authorization and impersonation. What must never be shown of it is
  /// appended to `secrets`. Failure: unauthenticated, failed_precondition.
  Result<void> sign(HttpRequest& request, std::vector<Secret>& secrets);
  /// The server said 401: what can be had again is forgotten. Whether there was any such thing, so
  /// that another attempt may succeed.
  bool refuse();
  /// The end of the client certificate, when it has passed: others of it are worth no attempt.
  std::optional<WallTime> expired_certificate(WallTime now);

  const ClusterAccess& access() const { return access_; }

 private:
  bool uses_plugin() const;
  bool is_current(WallTime now) const;
  void finish_plugin(Result<Credential> credential);
  Result<void> add_trust(HttpTls& tls);
  Result<void> add_certificate(HttpTls& tls);
  Result<std::optional<Secret>> authorization();
  Result<void> add_impersonation(HttpRequest& request) const;

  uv_loop_t* loop_;
  PluginRules rules_;
  ClusterAccess access_;
  Environment environment_;
  RereadFile authority_, certificate_, key_, token_;
  std::optional<Credential> from_plugin_;
  std::unique_ptr<PluginRun> run_;
  std::vector<std::function<void(const Error*)>> waiting_;
};

}  // namespace filecall::worker::kube
