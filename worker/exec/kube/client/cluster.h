// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/kube/client/api_call.h"
#include "worker/exec/kube/client/credentials.h"
#include "worker/exec/kube/client/discovery.h"
#include "worker/exec/kube/client/exec_call.h"

namespace filecall::worker::kube {

/// One context of the client configuration, as something that can be asked. Loop thread only;
/// outlives its calls.
class Cluster {
 public:
  /// `digest_key` and `http` must outlive it. `cache_directory` may be empty.
  Cluster(uv_loop_t* loop, HttpClient& http, const DigestKey& digest_key, PluginRules rules,
          ClusterAccess access, const Environment& environment, const std::string& cache_directory,
          std::shared_ptr<const RedactionRules> redaction = nullptr);

  const ClusterAccess& access() const { return credentials_.access(); }
  /// What digests of secret and of written things are keyed with.
  const DigestKey& digest_key() const { return digest_key_; }
  /// Whose thread it is; for a command's own timer.
  uv_loop_t* loop() const { return loop_; }
  /// {"context", "server"}: which cluster an answer comes from.
  Json identity() const;

  /// Not started yet: the caller must hold it first.
  std::unique_ptr<ApiCall> make_call(ApiRequest request, std::function<void(ApiAnswer)> done);

  std::unique_ptr<ExecCall> make_exec(ExecRequest request,
                                      std::function<void(Result<std::int64_t, Failure>)> done);

  /// What a kind's name means there. The table is asked for again once when the name is not found.
  /// `then` gets the resource, which lives as long as `table`, or why there is none.
  struct FoundKind {
    Discovery::Table table;
    const Resource* resource = nullptr;
  };
  void find_kind(const std::string& name, const std::string& api_version,
                 std::function<void(Result<FoundKind, Failure>)> then);
  Discovery& discovery() { return discovery_; }

 private:
  uv_loop_t* const loop_;
  const DigestKey& digest_key_;
  const std::shared_ptr<const RedactionRules> redaction_;
  HttpClient& http_;
  Credentials credentials_;
  Discovery discovery_;
};

/// How a match that is no resource is answered; names the choices. Pure.
Failure failure_of(const KindMatch& match, const std::string& name, const std::string& api_version,
                   const ResourceTable& table);

}  // namespace filecall::worker::kube
