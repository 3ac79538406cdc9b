// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_workload.h"

#include <fmt/core.h>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/rollout.h"

namespace filecall::worker::kube {
namespace {

/// A workload keeps ten revisions unless it says otherwise.
constexpr const char* kRevisionsMax = "500";

}  // namespace

std::optional<Failure> refuse_rollout(const Resource& resource) {
  if (has_rollouts(resource.group, resource.kind)) return std::nullopt;
  return Failure::of({ErrorCode::kInvalidArgument,
                      fmt::format("/params/kind: {} has no rollouts; Deployments, StatefulSets and "
                                  "DaemonSets have",
                                  resource.qualified_name())});
}

std::optional<Failure> refuse_paused(const Json& workload) {
  if (member(member(workload, "spec"), "paused") != Json(true)) return std::nullopt;
  return Failure::of({ErrorCode::kFailedPrecondition,
                      "the Deployment is paused (spec.paused): nothing would be rolled out; resume "
                      "it first"});
}

ApiRequest revisions_request(std::string_view kind, const Json& workload,
                             std::string_view name_space) {
  Resource keeper = kind == "Deployment"
                        ? core_resource("ReplicaSet", "replicasets")
                        : core_resource("ControllerRevision", "controllerrevisions");
  keeper.group = "apps";
  ApiRequest request;
  request.path =
      with_query(collection_path(keeper, name_space),
                 {{"labelSelector", selector_query(member(member(workload, "spec"), "selector"))},
                  {"limit", kRevisionsMax}});
  request.asked = object_kind(keeper);
  return request;
}

}  // namespace filecall::worker::kube
