// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_get_resource.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kObjectBytesMax = 16 * 1024 * 1024;

class GetResourceRun final : public KubeRun {
 public:
  explicit GetResourceRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done)),
        params_(task.params),
        config_(task.config) {}

  void begin() {
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) { read(std::move(found)); });
  }

 private:
  void read(Cluster::FoundKind found) {
    found_ = std::move(found);
    if (auto refused = refuse_verb(*found_.resource, "get")) return fail_with(std::move(*refused));
    const std::string name = text_member(params_, "name");
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    ApiRequest request;
    request.path = object_path(*found_.resource, name_space_, name);
    request.asked = object_kind(*found_.resource);
    request.body_bytes_max = kObjectBytesMax;
    if (member(params_, "revealSecrets") == Json(true)) request.reveal = config_.reveal_permit();
    send(std::move(request), [this](ApiReply& reply) { answer(reply.object()); });
  }

  void answer(const Json& object) {
    Sanitized sanitized = sanitize(object);
    Json data{
        {"identity", identity_of(*found_.resource, name_space_, text_member(params_, "name"))},
        {"precondition", precondition_of(object)},
        {"sanitizedManifest", std::move(sanitized.manifest)}};
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
    succeed(std::move(data));
  }

  const Json params_;
  const KubeConfig& config_;
  Cluster::FoundKind found_;
  std::string name_space_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_get_resource(std::shared_ptr<KubeService> service,
                                                 std::string_view schema) {
  return make_kube_executor<GetResourceRun>(
      {"kube.getResource",
       "Reads one Kubernetes or Istio object of any kind, without secret values.", schema,
       Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
