// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_diff_resource.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_owned_write.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

std::string_view verb_of(WriteStrategy strategy) {
  if (strategy == WriteStrategy::kCreate) return "create";
  return strategy == WriteStrategy::kDelete ? "delete" : "patch";
}

class DiffResourceRun final : public OwnedWriteRun {
 public:
  using OwnedWriteRun::OwnedWriteRun;

  void begin() {
    strategy_ = strategy_of(params());
    find_target(
        verb_of(strategy_),
        [this] { try_send(reading(), [this](ApiAnswer read) { plan(std::move(read)); }); },
        text_member(params(), "subresource"));
  }

 private:
  void plan(ApiAnswer read) {
    if (!read) {
      const bool may_be_new =
          strategy_ == WriteStrategy::kCreate ||
          (strategy_ == WriteStrategy::kApply && member(params(), "requireExists") == Json(false));
      if (read.error().code != ErrorCode::kNotFound || !may_be_new) {
        return explain_absence(std::move(read).error(), reading().path, object_kind(resource()));
      }
    } else {
      fingerprint_ = read->fingerprint();
      before_ = read->object();
      note_earlier(*read);
      if (strategy_ == WriteStrategy::kJson) {
        std::string mistake = read->reading_mistake(member(params(), "patch"));
        if (!mistake.empty()) {
          return fail_with(Failure::of({ErrorCode::kPermissionDenied, std::move(mistake)}));
        }
      }
    }
    Precondition precondition;
    if (strategy_ != WriteStrategy::kCreate) {
      const Json found = precondition_of(before_);
      precondition = {text_member(found, "uid"), text_member(found, "resourceVersion")};
    }
    auto prepared = prepare(strategy_, precondition);
    if (!prepared) return fail_with(std::move(prepared).error());
    plan_ = *std::move(prepared);
    try_send(request_of(plan_, true), [this](ApiAnswer dry) {
      if (!before_.is_null()) warn_of_managers(before_);
      if (dry) return answer(*dry);
      explain_conflicts(dry.error());
      fail_with(std::move(dry).error());
    });
  }

  void answer(ApiReply& reply) {
    const bool is_delete = strategy_ == WriteStrategy::kDelete;
    const Json after = is_delete ? Json() : reply.object();
    const bool is_changed = is_delete || fingerprint_ != reply.fingerprint();
    compare(plan_, after);
    const Json diff = diff_objects(before_, after);
    const Json& changes = member(diff, "changes");
    if (strategy_ == WriteStrategy::kApply && !before_.is_null()) {
      if (const std::string text = removal_warning(diff); !text.empty()) warn(text);
    }
    if (is_changed && changes.empty()) warn(std::string(kHiddenChange));
    Json data{{"identity", identity()},
              {"changed", is_changed},
              {"changes", changes},
              {"digest", new_digest(plan_)},
              {"digestValidS", digest_validity_s()}};
    if (diff.contains("omitted")) data["omittedChanges"] = diff["omitted"];
    add(data, "previous", before_);
    add(data, "proposed", after);
    if (strategy_ != WriteStrategy::kCreate && !before_.is_null()) {
      data["precondition"] = precondition_of(before_);
    }
    if (!is_delete) {
      if (Json masked = reply.masked(); !masked.empty()) data["masked"] = std::move(masked);
    }
    if (!notes().empty()) data["notes"] = notes();
    if (!before_.is_null() && !is_delete) add_field_owners(plan_, reply, data);
    const Json& replicas = member(member(after, "spec"), "replicas");
    if (member(member(before_, "spec"), "replicas") == replicas || before_.is_null() || is_delete) {
      return succeed(std::move(data));
    }
    check_autoscalers(count_member(member(after, "spec"), "replicas"),
                      [this, data = std::move(data)]() mutable { succeed(std::move(data)); });
  }

  static void add(Json& data, const char* name, const Json& object) {
    data[name] = nullptr;
    if (object.is_null()) return;
    Sanitized sanitized = sanitize(object);
    data[name] = std::move(sanitized.manifest);
    for (Json& cut : sanitized.cut) {
      cut["of"] = name;
      data["cut"].push_back(std::move(cut));
    }
  }

  WriteStrategy strategy_ = WriteStrategy::kApply;
  WritePlan plan_;
  Json before_;
  std::string fingerprint_;  ///< Of what is there; empty: nothing.
};

}  // namespace

std::unique_ptr<Executor> make_kube_diff_resource(std::shared_ptr<KubeService> service,
                                                  std::string_view schema) {
  return make_kube_executor<DiffResourceRun>({"kube.diffResource",
                                              "Shows what a create, patch or delete of one object "
                                              "would change, by a dry run of the server. "
                                              "Writes nothing.",
                                              schema, Effects::kNone, Risk::kLow},
                                             std::move(service));
}

}  // namespace filecall::worker::kube
