// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_create_resource.h"

#include <utility>

#include "worker/exec/kube/kube_write_run.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

class CreateResourceRun final : public WriteRun {
 public:
  using WriteRun::WriteRun;

  void begin() {
    find_target("create", [this] { create(); });
  }

 private:
  void create() {
    auto prepared = prepare(WriteStrategy::kCreate, {});
    if (!prepared) return fail_with(std::move(prepared).error());
    plan_ = *std::move(prepared);
    if (auto refused = refuse(plan_)) return fail_with(std::move(*refused));
    write(plan_, [this](ApiAnswer written) {
      if (!written) return fail_with(std::move(written).error());
      answer(written->object());
    });
  }

  void answer(const Json& object) {
    compare(plan_, object);
    Sanitized sanitized = sanitize(object);
    Json data{{"action", is_dry_run() ? "would be created" : "created"},
              {"dryRun", is_dry_run()},
              {"identity", identity()},
              {"sanitizedManifest", std::move(sanitized.manifest)}};
    if (!is_dry_run()) data["precondition"] = precondition_of(object);
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
    if (!notes().empty()) data["notes"] = notes();
    succeed(std::move(data));
  }

  WritePlan plan_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_create_resource(std::shared_ptr<KubeService> service,
                                                    std::string_view schema) {
  return make_kube_executor<CreateResourceRun>(
      {"kube.createResource", "Creates one Kubernetes or Istio object of any kind.", schema,
       Effects::kExternal, Risk::kMedium},
      std::move(service));
}

}  // namespace filecall::worker::kube
