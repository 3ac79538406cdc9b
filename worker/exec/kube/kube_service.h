// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/request.h"
#include "worker/exec/executor.h"
#include "worker/exec/kube/client/cluster.h"
#include "worker/exec/kube/kube_config.h"
#include "worker/exec/kube/preview_uses.h"
#include "worker/net/http_client.h"

namespace filecall::worker::kube {

/// What all kube commands share: the client configuration, a cluster for each context that was
/// used, the worker's HTTP client. Loop thread only; outlives every call.
class KubeService {
 public:
  KubeService(uv_loop_t* loop, HttpClient& http, KubeConfig config, Environment environment);

  /// The cluster of the context that a request names ("context" in its params), else of the
  /// current one, else of the only one that the worker's configuration allows. A changed kubeconfig
  /// makes a new cluster; calls keep theirs. Failures: permission_denied (not among kube.contexts),
  /// and those of choose_access() and of reading the files.
  Result<std::shared_ptr<Cluster>, Failure> choose(std::string_view context);
  /// Checks the context and the names in params; the destination is the cluster.
  Result<ExecutionPlan, Failure> plan(const Request& request, Effects effects);

  /// The client configuration as it is now, valid until the next call; its files.
  Result<const Kubeconfig*> client_configuration() { return files_.current(); }
  const std::vector<std::string>& client_files() const { return files_.places().paths; }

  const KubeConfig& config() const { return config_; }
  PreviewUses& preview_uses() { return preview_uses_; }
  /// The names of the contexts that may be used, with the kubeconfig's current one first.
  Result<std::vector<std::string>> contexts();

 private:
  Result<ClusterAccess> access_of(std::string_view context);

  uv_loop_t* loop_;
  KubeConfig config_;
  Environment environment_;
  PreviewUses preview_uses_;
  DigestKey digest_key_;
  HttpClient& http_;
  KubeconfigFiles files_;
  /// By context; made again when what it was made from changed.
  struct Entry {
    std::uint64_t version = 0;
    std::shared_ptr<Cluster> cluster;
  };
  std::map<std::string, Entry, std::less<>> clusters_;
  /// By the context that a request named, "" included.
  std::map<std::string, Entry, std::less<>> chosen_;
};

/// Flow control's name for a context.
std::string destination_of(std::string_view context);

}  // namespace filecall::worker::kube
