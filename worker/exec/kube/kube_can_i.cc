// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_can_i.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"

namespace filecall::worker::kube {
namespace {

class CanIRun final : public KubeRun {
 public:
  explicit CanIRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params) {}

  void begin() {
    // As kubectl takes it: pods/log.
    std::string kind = text_member(params_, "kind");
    const std::size_t slash = kind.find('/');
    subresource_ =
        slash == std::string::npos ? text_member(params_, "subresource") : kind.substr(slash + 1);
    kind.resize(std::min(slash, kind.size()));
    if (kind == "*") return ask("*", "*", true);
    find_kind(kind, text_member(params_, "apiVersion"), [this](const Cluster::FoundKind& found) {
      ask(found.resource->group, found.resource->plural, found.resource->is_namespaced);
    });
  }

 private:
  void ask(const std::string& group, const std::string& plural, bool is_namespaced) {
    const bool is_everywhere = member(params_, "allNamespaces") == Json(true);
    attributes_ = Json{{"verb", text_member(params_, "verb")},
                       {"group", group},
                       {"resource", plural},
                       {"subresource", subresource_},
                       {"name", text_member(params_, "name")}};
    attributes_["namespace"] =
        is_everywhere ? "" : choose_namespace(params_, is_namespaced, cluster().access());
    ApiRequest request;
    request.method = "POST";  // It creates nothing that stays.
    request.path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    request.body = dump_json(Json{{"apiVersion", "authorization.k8s.io/v1"},
                                  {"kind", "SelfSubjectAccessReview"},
                                  {"spec", {{"resourceAttributes", attributes_}}}});
    request.asked = {"authorization.k8s.io", "SelfSubjectAccessReview"};
    send_last(std::move(request),
              [this](ApiReply& reply) { answer(member(reply.object(), "status")); });
  }

  void answer(const Json& status) {
    Json data{{"allowed", member(status, "allowed") == Json(true)},
              {"denied", member(status, "denied") == Json(true)},
              {"reason", text_member(status, "reason")}};
    if (const std::string error = text_member(status, "evaluationError"); !error.empty()) {
      data["evaluationError"] = error;
    }
    for (auto& [name, value] : attributes_.items()) {
      if (value != Json("")) data["asked"][name] = value;
    }
    succeed(std::move(data));
  }

  const Json params_;
  std::string subresource_;
  Json attributes_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_can_i(std::shared_ptr<KubeService> service,
                                          std::string_view schema) {
  return make_kube_executor<CanIRun>(
      {"kube.canI", "Says whether the worker's credentials may do something in a cluster.", schema,
       Effects::kNone, Risk::kLow, true},
      std::move(service));
}

}  // namespace filecall::worker::kube
