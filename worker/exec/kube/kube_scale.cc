// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_scale.h"

#include <fmt/core.h>

#include <utility>

#include "base/count_text.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_made_write.h"

namespace filecall::worker::kube {
namespace {

class ScaleRun final : public MadeWriteRun {
 public:
  using MadeWriteRun::MadeWriteRun;

  void begin() {
    find_target(
        "patch", [this] { read([this](ApiReply&) { check(); }); }, "scale");
  }

 protected:
  /// A server leaves out a zero: "3 -> 0" is shown, and not that they are removed.
  Json shown(const Json& object) const override {
    Json out = object;
    if (member(object, "spec").is_object() || member(object, "spec").is_null()) {
      out["spec"]["replicas"] = count_member(member(object, "spec"), "replicas").value_or(0);
    }
    return out;
  }

 private:
  /// Refuses what needs no question, and asks who else sets the replicas: their object, and the
  /// autoscalers.
  void check() {
    const auto expected = count_member(params(), "currentReplicas");
    if (expected && *expected != found()) {
      Failure failure = Failure::of(
          {ErrorCode::kAborted, fmt::format("/params/currentReplicas: it has {}, and not {}",
                                            counted_noun(found(), "replica"), *expected)});
      failure.details = {{"replicas", found()}};
      return fail_with(std::move(failure));
    }
    ApiRequest request;
    request.path = object_path(resource(), name_space(), name());
    request.asked = object_kind(resource());
    try_send(std::move(request), [this](ApiAnswer scaled) {
      note_owners(scaled);
      check_autoscalers(wanted(), [this] { scale(); });
    });
  }

  std::int64_t wanted() const { return count_member(params(), "replicas").value_or(0); }
  /// A server leaves out a zero.
  std::int64_t found() const {
    return count_member(member(before(), "spec"), "replicas").value_or(0);
  }

  void note_owners(ApiAnswer& scaled) {
    if (scaled) {
      note_earlier(*scaled);
      warn_of_managers(scaled->object());
    }
    if (wanted() == found()) return say_owners(std::vector<FieldOwners::Fields>(), owners_);
    if (!scaled) {
      return say_owners(fail(ErrorCode::kUnimplemented,
                             "the object could not be read: " + scaled.error().message),
                        owners_);
    }
    // A custom kind may keep them elsewhere.
    if (count_member(member(scaled->object(), "spec"), "replicas").value_or(0) != found()) {
      return say_owners(
          fail(ErrorCode::kUnimplemented, "its replicas are not found in spec.replicas"), owners_);
    }
    add_owners_of(".spec.replicas", *scaled, owners_);
  }

  void scale() {
    Made made;
    made.data = owners_;
    made.patch = {{"spec", {{"replicas", wanted()}}}};
    made.done = "scaled";
    made.binds_version = params().contains("currentReplicas");
    made.data["replicas"] = {{"before", found()}, {"after", wanted()}};
    if (const auto running = count_member(member(before(), "status"), "replicas")) {
      made.data["replicas"]["running"] = *running;
    }
    send_patch(std::move(made));
  }

  Json owners_ = Json::object();
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
