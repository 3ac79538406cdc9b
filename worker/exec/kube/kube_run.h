// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/exec/executor.h"
#include "worker/exec/kube/client/cluster.h"

namespace filecall::worker::kube {

/// One kube command that runs: a bounded number of questions to one cluster, then an answer. The
/// first failure is the answer, unless a command says otherwise. Adds to every answer which cluster
/// it comes from and what the server warned of. Loop thread only.
class KubeRun : public Execution {
 public:
  /// `yield_place`: see ExecutionContext; for commands that have a last question.
  KubeRun(std::shared_ptr<Cluster> cluster, std::function<void(Outcome)> done,
          std::function<void()> yield_place = nullptr);
  ~KubeRun() override;

  void cancel() override;

 protected:
  /// `then` is called with what the name means; not after the end.
  void find_kind(const std::string& name, const std::string& api_version,
                 std::function<void(Cluster::FoundKind)> then);
  /// The same for a name that may mean nothing: `then` gets why, and the command goes on.
  void try_find_kind(const std::string& name, const std::string& api_version,
                     std::function<void(Result<Cluster::FoundKind, Failure>)> then);
  /// `then` gets all kinds that the cluster serves, asked for again when `is_fresh`.
  void with_kinds(bool is_fresh, std::function<void(const ResourceTable&)> then);
  /// Sends a request. `then` gets a good answer. What is not there ends the command with a failure
  /// that names what is near: objects of the kind, or the namespace that is not there either.
  void send(ApiRequest request, std::function<void(ApiReply&)> then);
  /// The same, when no other request follows: the cluster may be asked something else by another
  /// command while this one works on the answer.
  void send_last(ApiRequest request, std::function<void(ApiReply&)> then);
  /// The same as send(), for a request that may fail without ending the command.
  void try_send(ApiRequest request, std::function<void(ApiAnswer)> then);

  /// For a list that is empty: `then` gets {"namespaceExists": false, "hint"} when there is no such
  /// namespace, else an empty object. An empty `name_space` is not looked for.
  void check_namespace(const std::string& name_space, std::function<void(Json)> then);

  /// Ends the requests that are under way: nobody hears of them. Not while one of them brings
  /// events; what is called with its answer may.
  void drop_requests() { calls_.clear(); }

  void succeed(Json data);
  void fail_with(Failure failure);
  /// The same, of a request for this path: names what is near when its object is not there.
  void explain_absence(Failure failure, const std::string& path, const ObjectKind& asked);
  void warn(std::string text);
  void take_warnings(const ApiReply& reply);
  bool has_ended() const { return !done_; }
  Cluster& cluster() { return *cluster_; }

 private:
  /// Names in a collection, at most a page of them; none when it cannot be read.
  void read_names(std::string collection, ObjectKind kind,
                  std::function<void(std::vector<std::string>)> then);
  /// `then` gets what is to be said of a namespace that is not there, else an empty text.
  void explain_namespace(const std::string& name_space, std::function<void(std::string)> then);

  std::shared_ptr<Cluster> cluster_;
  std::function<void(Outcome)> done_;
  std::function<void()> yield_place_;
  std::vector<std::unique_ptr<ApiCall>> calls_;
  std::vector<std::string> warnings_;
  /// False once this is gone: others may be waiting for the same table of kinds.
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

/// The namespace to ask in: none for a kind that has none, else the request's, else the context's.
std::string choose_namespace(const Json& params, bool is_namespaced, const ClusterAccess& access);

/// {"apiVersion", "kind", "name", "namespace"} of an object, from what was asked for.
Json identity_of(const Resource& resource, const std::string& name_space, const std::string& name);

/// The kind that an answer's objects have, for redaction.
ObjectKind object_kind(const Resource& resource);

/// Whether a body is a list, or a table of one: what has no items at all ("items" is null where
/// there are none) says nothing about how many there are.
bool is_list(const Json& body);
/// The failure of a body that is none.
Failure no_list();

/// Refuses what a kind cannot do, in the words of the catalog. nullopt: it can.
std::optional<Failure> refuse_verb(const Resource& resource, std::string_view verb);

}  // namespace filecall::worker::kube
