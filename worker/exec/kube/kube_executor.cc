// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_executor.h"

#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_analyze_impact.h"
#include "worker/exec/kube/kube_api_resources.h"
#include "worker/exec/kube/kube_can_i.h"
#include "worker/exec/kube/kube_contexts.h"
#include "worker/exec/kube/kube_create_resource.h"
#include "worker/exec/kube/kube_delete_resource.h"
#include "worker/exec/kube/kube_diff_resource.h"
#include "worker/exec/kube/kube_events.h"
#include "worker/exec/kube/kube_evict.h"
#include "worker/exec/kube/kube_exec.h"
#include "worker/exec/kube/kube_explain.h"
#include "worker/exec/kube/kube_get_resource.h"
#include "worker/exec/kube/kube_helm.h"
#include "worker/exec/kube/kube_list_resources.h"
#include "worker/exec/kube/kube_logs.h"
#include "worker/exec/kube/kube_patch_resource.h"
#include "worker/exec/kube/kube_rollout_restart.h"
#include "worker/exec/kube/kube_rollout_status.h"
#include "worker/exec/kube/kube_rollout_undo.h"
#include "worker/exec/kube/kube_scale.h"
#include "worker/exec/kube/kube_top.h"
#include "worker/exec/kube/kube_tree.h"
#include "worker/exec/kube/kube_wait.h"

namespace filecall::worker::kube {

KubeExecutor::KubeExecutor(CommandInfo info, std::shared_ptr<KubeService> service, Start start)
    : info_(std::move(info)), service_(std::move(service)), start_(std::move(start)) {}

Result<ExecutionPlan, Failure> KubeExecutor::plan(const Request& request) {
  // A dry run leaves nothing behind.
  const bool is_dry_run = member(request.params, "dryRun") == Json(true);
  return service_->plan(request, is_dry_run ? Effects::kNone : info_.effects);
}

std::unique_ptr<Execution> KubeExecutor::start(const Request& request,
                                               const ExecutionContext& context,
                                               std::function<void(Outcome)> done) {
  // Chosen again: the kubeconfig may have changed while the request waited.
  auto cluster = service_->choose(text_member(request.params, "context"));
  if (!cluster) {
    done(std::move(cluster).error());
    return nullptr;
  }
  return start_(
      {*std::move(cluster), *service_, request.params, std::move(done), context.yield_place});
}

std::vector<std::unique_ptr<Executor>> make_kube_commands(
    const std::shared_ptr<KubeService>& service,
    const std::function<std::string_view(std::string_view)>& schema_of) {
  std::vector<std::unique_ptr<Executor>> commands;
  commands.push_back(make_kube_analyze_impact(service, schema_of("kube.analyzeImpact")));
  commands.push_back(make_kube_api_resources(service, schema_of("kube.apiResources")));
  commands.push_back(make_kube_can_i(service, schema_of("kube.canI")));
  commands.push_back(make_kube_contexts(service, schema_of("kube.contexts")));
  commands.push_back(make_kube_create_resource(service, schema_of("kube.createResource")));
  commands.push_back(make_kube_delete_resource(service, schema_of("kube.deleteResource")));
  commands.push_back(make_kube_diff_resource(service, schema_of("kube.diffResource")));
  commands.push_back(make_kube_events(service, schema_of("kube.events")));
  commands.push_back(make_kube_exec(service, schema_of("kube.exec")));
  commands.push_back(make_kube_explain(service, schema_of("kube.explain")));
  commands.push_back(make_kube_evict(service, schema_of("kube.evict")));
  commands.push_back(make_kube_get_resource(service, schema_of("kube.getResource")));
  commands.push_back(make_kube_helm_release(service, schema_of("kube.helmRelease")));
  commands.push_back(make_kube_helm_releases(service, schema_of("kube.helmReleases")));
  commands.push_back(make_kube_list_resources(service, schema_of("kube.listResources")));
  commands.push_back(make_kube_logs(service, schema_of("kube.logs")));
  commands.push_back(make_kube_patch_resource(service, schema_of("kube.patchResource")));
  commands.push_back(make_kube_top(service, schema_of("kube.top")));
  commands.push_back(make_kube_tree(service, schema_of("kube.tree")));
  commands.push_back(make_kube_rollout_restart(service, schema_of("kube.rolloutRestart")));
  commands.push_back(make_kube_rollout_status(service, schema_of("kube.rolloutStatus")));
  commands.push_back(make_kube_rollout_undo(service, schema_of("kube.rolloutUndo")));
  commands.push_back(make_kube_scale(service, schema_of("kube.scale")));
  commands.push_back(make_kube_wait(service, schema_of("kube.wait")));
  return commands;
}

}  // namespace filecall::worker::kube
