// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_scale.h"

#include <fmt/core.h>

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_made_write.h"

namespace filecall::worker::kube {
namespace {

class ScaleRun final : public MadeWriteRun {
 public:
  using MadeWriteRun::MadeWriteRun;

  void begin() {
    find_target(
        "patch", [this] { read([this](ApiReply&) { scale(); }); }, "scale");
  }

 private:
  void scale() {
    const std::int64_t wanted = count_member(params(), "replicas").value_or(0);
    // A server leaves out a zero.
    const std::int64_t found = count_member(member(before(), "spec"), "replicas").value_or(0);
    const auto expected = count_member(params(), "currentReplicas");
    if (expected && *expected != found) {
      Failure failure = Failure::of(
          {ErrorCode::kAborted, fmt::format("/params/currentReplicas: it has {} replicas, and not "
                                            "{}",
                                            found, *expected)});
      failure.details = {{"replicas", found}};
      return fail_with(std::move(failure));
    }
    Made made;
    made.patch = {{"spec", {{"replicas", wanted}}}};
    made.done = "scaled";
    made.binds_version = expected.has_value();
    made.data["replicas"] = {{"before", found}, {"after", wanted}};
    if (const auto running = count_member(member(before(), "status"), "replicas")) {
      made.data["replicas"]["running"] = *running;
    }
    send_patch(std::move(made));
  }
};

}  // namespace

std::unique_ptr<Executor> make_kube_scale(std::shared_ptr<KubeService> service,
                                          std::string_view schema) {
  return make_kube_executor<ScaleRun>(
      {"kube.scale",
       "Sets the number of replicas of a Deployment, StatefulSet, ReplicaSet or another kind that "
       "can be scaled.",
       schema, Effects::kExternal, Risk::kMedium},
      std::move(service));
}

}  // namespace filecall::worker::kube
