// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_rollout_status.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_watch_run.h"
#include "worker/exec/kube/kube_workload.h"
#include "worker/exec/kube/model/revisions.h"
#include "worker/exec/kube/model/rollout.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

class RolloutStatusRun final : public WatchRun {
 public:
  explicit RolloutStatusRun(KubeTask task)
      : WatchRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    begin_time(seconds(timeout_s()));
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) {
                found_ = std::move(found);
                const Resource& kind = *found_.resource;
                if (auto refused = refuse_rollout(kind)) return fail_with(std::move(*refused));
                name_space_ = choose_namespace(params_, true, cluster().access());
                follow({kind, name_space_, text_member(params_, "name"), ""});
              });
  }

  Json partial() const override { return object_.is_object() ? status() : Json(); }

 private:
  std::int64_t timeout_s() const { return count_member(params_, "timeoutS").value_or(0); }

  bool take_list(const Json& items) override {
    if (items.empty()) return is_gone_ = true;
    return take(items.front());
  }

  bool take_change(std::string_view type, const Json& object) override {
    if (type == "DELETED") return is_gone_ = true;
    return take(object);
  }

  bool take(const Json& object) {
    object_ = object;
    rollout_ = rollout_of(found_.resource->kind, object_);
    return rollout_.state != RolloutState::kProgressing;
  }

  void conclude(bool is_enough) override {
    const bool is_late = !is_enough && timeout_s() > 0;
    if (is_late && !object_.is_object()) {
      Failure failure;
      failure.code = ErrorCode::kDeadlineExceeded;
      failure.retryable = false;
      failure.message =
          fmt::format("the server did not say within {} s how far the rollout is; nothing was seen",
                      timeout_s());
      return give_up(std::move(failure));
    }
    if (is_gone_) {
      return give_up(
          Failure::of({ErrorCode::kNotFound,
                       fmt::format("{} \"{}\" {} in namespace '{}'",
                                   found_.resource->qualified_name(), text_member(params_, "name"),
                                   object_.is_null() ? "not found" : "was deleted", name_space_)}));
    }
    if (is_late || member(params_, "history") != Json(true)) return answer(!is_late);
    send(revisions_request(found_.resource->kind, object_, name_space_), [this](ApiReply& reply) {
      const Json& list = reply.object();
      if (!is_list(list)) return fail_with(no_list());
      history_ = history_of(found_.resource->kind, object_, member(list, "items"));
      is_history_whole_ = text_member(member(list, "metadata"), "continue").empty();
      answer(true);
    });
  }

  Json status() const {
    Json data{
        {"identity", identity_of(*found_.resource, name_space_, text_member(params_, "name"))},
        {"state", to_string(rollout_.state)},
        {"message", rollout_.message},
        {"counts", rollout_.counts},
        {"conditions", conditions_of(object_)},
        {"precondition", precondition_of(object_)}};
    const Json& spec = member(object_, "spec");
    if (member(spec, "paused") == Json(true)) data["paused"] = true;
    if (timeout_s() > 0) data["waitedMs"] = to_ms(elapsed());
    if (history_) {
      data["history"] = *history_;
      data["historyComplete"] = is_history_whole_;
    }
    return data;
  }

  void answer(bool is_whole) {
    const bool is_complete = rollout_.state == RolloutState::kComplete;
    if (is_whole && (timeout_s() == 0 || is_complete)) return succeed(status());
    // Who waits for a rollout wants to know by the code alone whether it came to its end.
    Failure failure;
    const bool has_failed = rollout_.state == RolloutState::kFailed;
    failure.code = has_failed ? ErrorCode::kFailedPrecondition : ErrorCode::kDeadlineExceeded;
    failure.retryable = false;
    failure.message = has_failed
                          ? "the rollout has failed: " + rollout_.message
                          : fmt::format("the rollout was not complete within {} s; seen last: {}",
                                        timeout_s(), rollout_.message);
    if (is_complete) {
      failure.message =
          fmt::format("the revisions were not read within {} s; of the rollout was seen: {}",
                      timeout_s(), rollout_.message);
    }
    give_up(std::move(failure));
  }

  void give_up(Failure failure) override {
    if (object_.is_object()) {
      Json seen = status();
      if (failure.details.is_object()) seen.update(failure.details);
      failure.details = std::move(seen);
    }
    fail_with(std::move(failure));
  }

  const Json params_;
  Cluster::FoundKind found_;
  std::string name_space_;
  Json object_;
  Rollout rollout_;
  std::optional<Json> history_;
  bool is_history_whole_ = true;
  bool is_gone_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_kube_rollout_status(std::shared_ptr<KubeService> service,
                                                   std::string_view schema) {
  return make_kube_executor<RolloutStatusRun>(
      {"kube.rolloutStatus",
       "Says how far the last change of a Deployment, StatefulSet or DaemonSet has come, perhaps "
       "waiting for its end, and lists its revisions.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
