// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_service.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/preview_key.h"

namespace filecall::worker::kube {
namespace {

Failure bad_param(const char* name, std::string_view mistake) {
  return Failure::of({ErrorCode::kInvalidArgument, fmt::format("/params/{}: {}", name, mistake)});
}

}  // namespace

std::string destination_of(std::string_view context) { return fmt::format("kube.{}", context); }

KubeService::KubeService(uv_loop_t* loop, HttpClient& http, KubeConfig config,
                         Environment environment)
    : loop_(loop),
      config_(std::move(config)),
      environment_(std::move(environment)),
      preview_uses_(config_.cache_directory,
                    std::chrono::duration_cast<seconds>(config_.preview_validity).count()),
      digest_key_(draw_digest_key()),
      http_(http),
      files_(config_.kubeconfig, environment_) {}

Result<ClusterAccess> KubeService::access_of(std::string_view context) {
  TRY_ASSIGN(const Kubeconfig* kubeconfig, files_.current());
  const auto& allowed = config_.contexts;
  const auto is_allowed = [&](std::string_view name) {
    return allowed.empty() || std::ranges::find(allowed, name) != allowed.end();
  };
  std::string wanted(context);
  if (wanted.empty() && !is_allowed(kubeconfig->current_context)) {
    if (allowed.size() != 1) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("/params/context: name one of {} (kube.contexts)", fmt::join(allowed, ", ")));
    }
    wanted = allowed.front();
  }
  if (!wanted.empty() && !is_allowed(wanted)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("/params/context: '{}' is not allowed; add it to kube.contexts in the "
                            "worker's configuration file: kube: {{contexts: [{}]}}",
                            wanted, wanted));
  }
  if (kubeconfig->is_empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("no cluster is configured: no kubeconfig says anything ({}), and this "
                            "is no pod; set KUBECONFIG or kube.kubeconfig",
                            fmt::join(files_.places().paths, ", ")));
  }
  return choose_access(*kubeconfig, wanted);
}

Result<std::shared_ptr<Cluster>, Failure> KubeService::choose(std::string_view context) {
  if (const auto readable = files_.current(); !readable) return Failure::of(readable.error());
  // Asked for twice a request.
  if (const auto known = chosen_.find(context);
      known != chosen_.end() && known->second.version == files_.version()) {
    return known->second.cluster;
  }
  auto access = access_of(context);
  if (!access) return Failure::of(access.error());
  Entry& entry = clusters_[access->context];
  if (!entry.cluster || entry.version != files_.version()) {
    entry.version = files_.version();
    entry.cluster =
        std::make_shared<Cluster>(loop_, http_, digest_key_, config_.plugins, std::move(*access),
                                  environment_, config_.cache_directory, config_.redaction);
  }
  chosen_.insert_or_assign(std::string(context), entry);
  return entry.cluster;
}

Result<ExecutionPlan, Failure> KubeService::plan(const Request& request, Effects effects) {
  TRY_ASSIGN(auto cluster, choose(text_member(request.params, "context")));
  if (const std::string name = text_member(request.params, "name"); !name.empty()) {
    if (const auto mistake = mistake_of_name(name); !mistake.empty()) {
      return bad_param("name", mistake);
    }
  }
  if (const std::string name = text_member(request.params, "namespace"); !name.empty()) {
    if (const auto mistake = mistake_of_namespace(name); !mistake.empty()) {
      return bad_param("namespace", mistake);
    }
  }
  const bool wants_secrets = member(request.params, "revealSecrets") == Json(true);
  if (wants_secrets && !config_.reveal_secrets) {
    return Failure::of({ErrorCode::kPermissionDenied,
                        "/params/revealSecrets: secret values are not shown; the worker's "
                        "configuration file would have to say kube: {revealSecrets: true}"});
  }
  ExecutionPlan plan;
  plan.effects = effects;
  plan.destination = destination_of(cluster->access().context);
  return plan;
}

Result<std::vector<std::string>> KubeService::contexts() {
  TRY_ASSIGN(const Kubeconfig* kubeconfig, files_.current());
  if (!config_.contexts.empty()) return config_.contexts;
  std::vector<std::string> names;
  for (const auto& [name, context] : kubeconfig->contexts) names.push_back(name);
  const auto current = std::ranges::find(names, kubeconfig->current_context);
  if (current != names.end()) std::rotate(names.begin(), current, current + 1);
  return names;
}

}  // namespace filecall::worker::kube
