// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_rollout_undo.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_made_write.h"
#include "worker/exec/kube/kube_workload.h"
#include "worker/exec/kube/model/revisions.h"

namespace filecall::worker::kube {
namespace {

class RolloutUndoRun final : public MadeWriteRun {
 public:
  using MadeWriteRun::MadeWriteRun;

  void begin() {
    find_target("patch", [this] {
      if (auto refused = refuse_rollout(resource())) return fail_with(std::move(*refused));
      read([this](ApiReply& reply) { read_revisions(reply); });
    });
  }

 private:
  void read_revisions(ApiReply& reply) {
    if (auto refused = refuse_paused(before())) return fail_with(std::move(*refused));
    workload_ = reply.unredacted_for_a_write();
    send(revisions_request(resource().kind, before(), name_space()), [this](ApiReply& list) {
      if (!is_list(list.object())) return fail_with(no_list());
      // Of a part nobody can say which one is the last but one.
      if (!text_member(member(list.object(), "metadata"), "continue").empty()) {
        return fail_with(Failure::of(
            {ErrorCode::kFailedPrecondition,
             "there are more revisions, or others with the same labels, than are read at once; "
             "kubectl rollout undo reads them all"}));
      }
      undo(list.unredacted_for_a_write());
    });
  }

  /// What is compared and written is the template as it is: an environment variable whose value no
  /// answer shows must come back as it was.
  void undo(const Json& list) {
    const Json& items = member(list, "items");
    const std::vector<Revision> revisions = revisions_of(resource().kind, workload_, items);
    const auto chosen = choose_revision(resource().kind, workload_, revisions,
                                        count_member(params(), "toRevision").value_or(0));
    if (!chosen) return fail_with(Failure::of(chosen.error()));
    const Json& revision = items[chosen->index];
    Json pods = template_of(revision);
    if (pods.is_null()) {
      return fail_with(Failure::of(
          {ErrorCode::kFailedPrecondition, "the revision " + chosen->name + " has no template"}));
    }
    Json data = Json::object();
    data["revision"] = chosen->number;
    data["from"] = chosen->name;
    if (pods == template_of(workload_)) return succeed_unchanged(std::move(data));
    Made made;
    made.strategy = WriteStrategy::kJson;
    // Whole members are replaced: what somebody else wrote to them meanwhile would be lost.
    made.binds_version = true;
    made.patch = Json::array();
    made.patch.push_back({{"op", "replace"}, {"path", "/spec/template"}, {"value", pods}});
    if (resource().kind == "Deployment") {
      made.patch.push_back({{"op", "add"},
                            {"path", "/metadata/annotations"},
                            {"value", annotations_after_undo(workload_, revision)}});
    }
    made.done = "set back";
    made.data = std::move(data);
    send_patch(std::move(made));
  }

  Json workload_;  ///< As it came: nothing of it is answered.
};

}  // namespace

std::unique_ptr<Executor> make_kube_rollout_undo(std::shared_ptr<KubeService> service,
                                                 std::string_view schema) {
  return make_kube_executor<RolloutUndoRun>(
      {"kube.rolloutUndo",
       "Sets the pod template of a Deployment, StatefulSet or DaemonSet back to that of an earlier "
       "revision.",
       schema, Effects::kExternal, Risk::kMedium},
      std::move(service));
}

}  // namespace filecall::worker::kube
