// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_delete_resource.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_owned_write.h"

namespace filecall::worker::kube {
namespace {

class DeleteResourceRun final : public OwnedWriteRun {
 public:
  using OwnedWriteRun::OwnedWriteRun;

  void begin() {
    find_target("delete", [this] { remove(); });
  }

 private:
  void remove() {
    auto prepared = prepare(WriteStrategy::kDelete, given_precondition());
    if (!prepared) return fail_with(std::move(prepared).error());
    if (auto refused = refuse(*prepared)) return fail_with(std::move(*refused));
    // A delete needs no right to read: without it nothing is said of who makes the object again.
    try_send(reading(), [this, plan = *std::move(prepared)](ApiAnswer read) {
      if (read) {
        note_earlier(*read);
        warn_of_managers(read->object());
      }
      write(plan, [this](ApiAnswer written) {
        if (!written) return fail_with(std::move(written).error());
        answer(written->object());
      });
    });
  }

  /// The server answers with a Status when the object is gone, with the object when something must
  /// happen first (finalizers, a grace period).
  void answer(const Json& object) {
    const Json& metadata = member(object, "metadata");
    // An object that is gone at once may be answered as it was when it went.
    const bool is_held = !member(metadata, "finalizers").empty();
    const bool is_pending = !text_member(metadata, "deletionTimestamp").empty() &&
                            (is_held || member(metadata, "deletionGracePeriodSeconds") != Json(0));
    if (options().grace_period_s == 0 && resource().kind == "Pod" && resource().group.empty()) {
      warn(is_dry_run()
               ? "gracePeriodSeconds 0 would remove the pod from the API without waiting for "
                 "its node: its processes may run on for a while"
               : "gracePeriodSeconds 0 removed the pod from the API without waiting for its "
                 "node: its processes may run on for a while");
    }
    Json data{{"dryRun", is_dry_run()}, {"identity", identity()}};
    data["action"] = is_dry_run() ? "would be deleted"
                     : is_pending ? "is being deleted"
                                  : "deleted";
    if (is_pending) {
      data["deletionTimestamp"] = metadata["deletionTimestamp"];
      if (!member(metadata, "finalizers").empty()) data["finalizers"] = metadata["finalizers"];
    }
    succeed(std::move(data));
  }
};

}  // namespace

std::unique_ptr<Executor> make_kube_delete_resource(std::shared_ptr<KubeService> service,
                                                    std::string_view schema) {
  return make_kube_executor<DeleteResourceRun>(
      {"kube.deleteResource", "Deletes one Kubernetes or Istio object.", schema, Effects::kExternal,
       Risk::kHigh},
      std::move(service));
}

}  // namespace filecall::worker::kube
