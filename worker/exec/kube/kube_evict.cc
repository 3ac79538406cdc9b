// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_evict.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_write_run.h"
#include "worker/exec/kube/model/disruption_budget.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

/// The params as they are of a command that has a kind.
Json of_pods(Json params) {
  params["kind"] = "pods";
  return params;
}

class EvictRun final : public WriteRun {
 public:
  explicit EvictRun(KubeTask task) : EvictRun(task, of_pods(task.params)) {}

  void begin() {
    // The version of the budgets is that of the evictions.
    find_kind("poddisruptionbudgets.policy", "", [this](Cluster::FoundKind found) {
      budgets_ = std::move(found);
      find_target(
          "create", [this] { read(); }, "eviction");
    });
  }

 private:
  EvictRun(KubeTask& task, const Json& params)
      : WriteRun({std::move(task.cluster), task.service, params, std::move(task.done),
                  std::move(task.yield_place)}) {}

  void read() {
    send(reading(), [this](ApiReply& reply) {
      pod_ = reply.object();
      evict();
    });
  }

  WritePlan planned() const {
    const Json found = precondition_of(pod_);
    Precondition precondition = given_precondition();
    // Never another pod of that name.
    if (precondition.uid.empty()) precondition.uid = text_member(found, "uid");
    if (is_dry_run() && precondition.resource_version.empty()) {
      precondition.resource_version = text_member(found, "resourceVersion");
    }
    return plan_eviction(budgets_.resource->api_version(), name(), name_space(), precondition,
                         options().grace_period_s);
  }

  void evict() {
    const WritePlan plan = planned();
    if (auto refused = refuse(plan)) return fail_with(std::move(*refused));
    write(plan, [this, plan](ApiAnswer written) {
      if (written) return answer(plan);
      if (!is_of_budget(written.error())) return fail_with(std::move(written).error());
      Failure failure = std::move(written).error();
      if (is_of_several_budgets(failure)) {
        failure.code = ErrorCode::kFailedPrecondition;
        failure.retryable = false;
      }
      read_budgets(std::move(failure));
    });
  }

  void answer(const WritePlan& plan) {
    const Json& spec = member(pod_, "spec");
    Json data{{"dryRun", is_dry_run()}, {"identity", identity()}};
    data["action"] = is_dry_run() ? "would be evicted" : "evicted";
    if (const std::string node = text_member(spec, "nodeName"); !node.empty()) data["node"] = node;
    const Json owner = controller_of(pod_);
    if (!owner.is_null()) data["controller"] = owner;
    if (owner.is_null()) warn("no controller makes another pod in its place");
    if (text_member(owner, "kind") == "DaemonSet") {
      warn("its DaemonSet makes it again on the same node");
    }
    if (is_dry_run()) {
      data["precondition"] = precondition_of(pod_);
      data["digest"] = new_digest(plan);
      data["digestValidS"] = digest_validity_s();
    }
    succeed(std::move(data));
  }

  /// The server says that a budget is in the way; which one, and by how much, its object says.
  void read_budgets(Failure failure) {
    ApiRequest request;
    request.path = collection_path(*budgets_.resource, name_space());
    request.asked = object_kind(*budgets_.resource);
    try_send(std::move(request), [this, failure = std::move(failure)](ApiAnswer listed) mutable {
      if (listed && is_list(listed->object())) {
        const Json rows =
            budgets_of(member(listed->object(), "items"), budgets_.resource->api_version(), pod_);
        failure.message += budgets_in_words(rows);
        failure.details["budgets"] = rows;
      } else {
        failure.message += "; the budgets could not be read: " +
                           (listed ? no_list().message : listed.error().message);
      }
      fail_with(std::move(failure));
    });
  }

  Cluster::FoundKind budgets_;
  Json pod_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_evict(std::shared_ptr<KubeService> service,
                                          std::string_view schema) {
  return make_kube_executor<EvictRun>(
      {"kube.evict",
       "Ends a pod through the eviction subresource, as far as its disruption budget lets it.",
       schema, Effects::kExternal, Risk::kHigh},
      std::move(service));
}

}  // namespace filecall::worker::kube
