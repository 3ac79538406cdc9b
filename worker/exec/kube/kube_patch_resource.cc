// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_patch_resource.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_write_run.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

class PatchResourceRun final : public WriteRun {
 public:
  using WriteRun::WriteRun;

  void begin() {
    find_target("patch", [this] { plan(); });
  }

 private:
  void plan() {
    strategy_ = strategy_of(params());
    auto prepared = prepare(strategy_, given_precondition());
    if (auto* failure = std::get_if<Failure>(&prepared)) return fail_with(std::move(*failure));
    plan_ = std::get<WritePlan>(std::move(prepared));
    if (auto refused = refuse(plan_)) return fail_with(std::move(*refused));
    if (strategy_ != WriteStrategy::kApply) return patch();
    try_send(reading(), [this](ApiAnswer read) { compare(std::move(read)); });
  }

  void compare(ApiAnswer read) {
    if (auto* failure = std::get_if<Failure>(&read)) {
      const bool may_create = member(params(), "requireExists") == Json(false);
      if (failure->code != ErrorCode::kNotFound || !may_create) {
        return fail_with(std::move(*failure));
      }
    } else {
      before_ = std::get<ApiReply>(read).object();
    }
    patch();
  }

  void patch() {
    send(request_of(plan_, is_dry_run()), [this](ApiReply& reply) { answer(reply); });
  }

  void answer(ApiReply& reply) {
    const Json& object = reply.object();
    const bool is_new = reply.http_status() == 201;
    Json data{{"dryRun", is_dry_run()}, {"identity", identity()}};
    if (strategy_ == WriteStrategy::kApply) {
      const Json diff = diff_objects(before_, object);
      data["changed"] = !member(diff, "changes").empty();
      data["changes"] = member(diff, "changes");
      if (diff.contains("omitted")) data["omittedChanges"] = diff["omitted"];
      if (const std::string text = removal_warning(member(diff, "changes")); !text.empty()) {
        warn(text);
      }
    }
    data["action"] =
        std::string(is_dry_run() ? "would be " : "") + (is_new ? "created" : "patched");
    Sanitized sanitized = sanitize(object);
    data["sanitizedManifest"] = std::move(sanitized.manifest);
    if (!is_dry_run()) data["precondition"] = precondition_of(object);
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
    if (!notes().empty()) data["notes"] = notes();
    succeed(std::move(data));
  }

  WriteStrategy strategy_ = WriteStrategy::kApply;
  WritePlan plan_;
  Json before_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_patch_resource(std::shared_ptr<KubeService> service,
                                                   std::string_view schema) {
  return make_kube_executor<PatchResourceRun>(
      {"kube.patchResource",
       "Changes one Kubernetes or Istio object: server-side apply of its whole intent, or a merge "
       "or "
       "JSON patch for a partial change.",
       schema, Effects::kExternal, Risk::kMedium},
      std::move(service));
}

}  // namespace filecall::worker::kube
