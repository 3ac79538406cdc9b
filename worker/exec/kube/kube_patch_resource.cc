// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_patch_resource.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_owned_write.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/patch_reading.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

class PatchResourceRun final : public OwnedWriteRun {
 public:
  using OwnedWriteRun::OwnedWriteRun;

  void begin() {
    find_target(
        "patch", [this] { plan(); }, text_member(params(), "subresource"));
  }

 private:
  void plan() {
    strategy_ = strategy_of(params());
    expected_ = given_precondition();
    auto prepared = prepare(strategy_, expected_);
    if (!prepared) return fail_with(std::move(prepared).error());
    plan_ = *std::move(prepared);
    if (auto refused = refuse(plan_)) return fail_with(std::move(*refused));
    if (strategy_ == WriteStrategy::kJson) {
      return try_send(reading(), [this](ApiAnswer read) { check_reading(std::move(read)); });
    }
    try_send(reading(), [this](ApiAnswer read) {
      if (strategy_ == WriteStrategy::kApply) return take_before(std::move(read));
      // A merge patch needs no right to read: without it less is said of the owners.
      if (read) take_owners(*read);
      patch();
    });
  }

  void take_owners(ApiReply& read) {
    note_earlier(read);
    warn_of_managers(read.object());
  }

  /// A JSON patch may read the object, or change what tells that a value is a secret (the name of
  /// a variable). What it may read depends on what the object is now: nothing else is patched then.
  void check_reading(ApiAnswer read) {
    if (!read) {
      return explain_absence(std::move(read).error(), reading().path, object_kind(resource()));
    }
    const Json& patched = member(params(), "patch");
    if (std::string mistake = read->reading_mistake(patched); !mistake.empty()) {
      return fail_with(Failure::of({ErrorCode::kPermissionDenied, std::move(mistake)}));
    }
    take_owners(*read);
    if (!reads_object(patched)) return patch();
    const Json found = precondition_of(read->object());
    if (expected_.uid.empty()) expected_.uid = text_member(found, "uid");
    if (expected_.resource_version.empty()) {
      expected_.resource_version = text_member(found, "resourceVersion");
    }
    auto prepared = prepare_patch(strategy_, patched, expected_);
    if (!prepared) return fail_with(std::move(prepared).error());
    plan_ = *std::move(prepared);
    patch();
  }

  void take_before(ApiAnswer read) {
    if (!read) {
      const bool may_create = member(params(), "requireExists") == Json(false);
      if (read.error().code != ErrorCode::kNotFound || !may_create) {
        return explain_absence(std::move(read).error(), reading().path, object_kind(resource()));
      }
    } else {
      fingerprint_ = read->fingerprint();
      before_ = read->object();
      take_owners(*read);
      // An apply cannot tell the server that it wants to create.
      if (expects_absence()) {
        return fail_with(Failure::of(
            {ErrorCode::kFailedPrecondition,
             "/params/expectedDigest: the object was not there when this write was previewed, and "
             "is there now; ask kube.diffResource again"}));
      }
    }
    patch();
  }

  void patch() {
    write(plan_, [this](ApiAnswer written) {
      if (!written) return explain(std::move(written).error());
      answer(*written);
    });
  }

  /// A JSON patch tests its precondition itself, and servers say of a test that fails and of an
  /// operation that does not fit the same few words: the object is looked at to tell them apart.
  void explain(Failure failure) {
    explain_conflicts(failure);
    if (strategy_ != WriteStrategy::kJson || failure.code != ErrorCode::kInvalidArgument ||
        count_member(failure.details, "http_status") != 422) {
      return fail_with(std::move(failure));
    }
    try_send(reading(), [this, failure = std::move(failure)](ApiAnswer read) mutable {
      const std::string changed = read ? changed_since(*read) : "";
      if (!changed.empty()) failure.code = ErrorCode::kAborted;
      failure.message +=
          changed.empty() ? "; an operation does not fit the object: a path that is not there, a "
                            "value of another type, or a test that fails"
                          : "; the precondition does not hold: " + changed;
      fail_with(std::move(failure));
    });
  }

  /// What of the precondition the object has not; empty when it has all.
  std::string changed_since(ApiReply& reply) const {
    const Json found = precondition_of(reply.object());
    const auto differs = [&](const char* name, const std::string& wanted) {
      return !wanted.empty() && text_member(found, name) != wanted;
    };
    if (differs("uid", expected_.uid)) return "it is another object of that name (uid)";
    if (differs("resourceVersion", expected_.resource_version)) {
      return "the object was changed since (resourceVersion); read it again";
    }
    return "";
  }

  void answer(ApiReply& reply) {
    const Json& object = reply.object();
    compare(plan_, object);
    const bool is_new = reply.http_status() == 201;
    Json data{{"dryRun", is_dry_run()}, {"identity", identity()}};
    if (strategy_ == WriteStrategy::kApply) {
      const Json diff = diff_objects(before_, object);
      const bool is_changed = fingerprint_ != reply.fingerprint();
      data["changed"] = is_changed;
      if (is_changed && member(diff, "changes").empty()) warn(std::string(kHiddenChange));
      data["changes"] = member(diff, "changes");
      if (diff.contains("omitted")) data["omittedChanges"] = diff["omitted"];
      if (const std::string text = removal_warning(diff); !text.empty()) {
        warn(text);
      }
    }
    data["action"] =
        std::string(is_dry_run() ? "would be " : "") + (is_new ? "created" : "patched");
    Sanitized sanitized = sanitize(object);
    data["sanitizedManifest"] = std::move(sanitized.manifest);
    if (!is_dry_run()) data["precondition"] = precondition_of(object);
    if (!is_new) add_field_owners(plan_, reply, data);
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
    if (!notes().empty()) data["notes"] = notes();
    succeed(std::move(data));
  }

  WriteStrategy strategy_ = WriteStrategy::kApply;
  WritePlan plan_;
  Precondition expected_;  ///< What the write must find; of the given one what was given.
  Json before_;
  std::string fingerprint_;  ///< Of what is there; empty: nothing.
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
