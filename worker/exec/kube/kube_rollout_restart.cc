// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_rollout_restart.h"

#include <utility>

#include "os/clock.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_made_write.h"
#include "worker/exec/kube/kube_workload.h"

namespace filecall::worker::kube {
namespace {

/// The annotation of the pod template that kubectl sets: a template that differs makes new pods.
constexpr const char* kRestartedAt = "kubectl.kubernetes.io/restartedAt";

class RolloutRestartRun final : public MadeWriteRun {
 public:
  using MadeWriteRun::MadeWriteRun;

  void begin() {
    find_target("patch", [this] {
      if (auto refused = refuse_rollout(resource())) return fail_with(std::move(*refused));
      read([this](ApiReply&) { restart(); });
    });
  }

 private:
  void restart() {
    if (auto refused = refuse_paused(before())) return fail_with(std::move(*refused));
    std::string at = text_member(params(), "restartedAt");
    // To the second, as kubectl writes it.
    if (at.empty()) at = format_rfc3339(wall_now()).substr(0, 19) + "Z";
    if (!parse_rfc3339(at)) {
      return fail_with(Failure::of(
          {ErrorCode::kInvalidArgument, "/params/restartedAt: is no time (2026-11-23T10:00:00Z)"}));
    }
    const Json& strategy = member(member(before(), "spec"), "updateStrategy");
    if (text_member(strategy, "type") == "OnDelete") {
      warn("updateStrategy is OnDelete: pods are made again when somebody deletes them");
    }
    Made made;
    const Json metadata{{"annotations", {{kRestartedAt, at}}}};
    made.patch = {{"spec", {{"template", {{"metadata", metadata}}}}}};
    made.done = "restarted";
    made.data["restartedAt"] = at;
    send_patch(std::move(made));
  }
};

}  // namespace

std::unique_ptr<Executor> make_kube_rollout_restart(std::shared_ptr<KubeService> service,
                                                    std::string_view schema) {
  return make_kube_executor<RolloutRestartRun>(
      {"kube.rolloutRestart",
       "Makes the pods of a Deployment, StatefulSet or DaemonSet again, one after the other.",
       schema, Effects::kExternal, Risk::kMedium},
      std::move(service));
}

}  // namespace filecall::worker::kube
