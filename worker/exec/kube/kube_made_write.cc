// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_made_write.h"

#include <fmt/core.h>

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

Precondition state_of(const Json& object) {
  const Json found = precondition_of(object);
  return {text_member(found, "uid"), text_member(found, "resourceVersion")};
}

/// A JSON patch tests its precondition itself; of a test that fails a server says no more than that
/// the request cannot be done.
bool is_failed_test(WriteStrategy strategy, const Failure& failure) {
  return strategy == WriteStrategy::kJson && !failure.details.contains("causes") &&
         count_member(failure.details, "http_status") == 422;
}

}  // namespace

void MadeWriteRun::read(std::function<void(ApiReply&)> then) {
  send(reading(), [this, then = std::move(then)](ApiReply& reply) {
    before_ = reply.object();
    fingerprint_ = reply.fingerprint();
    note_earlier(reply);
    warn_of_managers(before_);
    const Precondition found = state_of(before_);
    const Precondition given = given_precondition();
    const bool is_another = !given.uid.empty() && given.uid != found.uid;
    if (is_another ||
        (!given.resource_version.empty() && given.resource_version != found.resource_version)) {
      return fail_with(Failure::of(
          {ErrorCode::kAborted,
           is_another ? "/params/precondition: it is another object of that name (uid)"
                      : "/params/precondition: the object was changed since (resourceVersion); "
                        "ask for a dry run again"}));
    }
    then(reply);
  });
}

Precondition MadeWriteRun::precondition_for(const Made& made) const {
  const Precondition found = state_of(before_);
  Precondition out = given_precondition();
  out.uid = found.uid;
  if (is_dry_run() || made.binds_version) out.resource_version = found.resource_version;
  return out;
}

void MadeWriteRun::send_patch(Made made) {
  auto prepared = prepare_patch(made.strategy, made.patch, precondition_for(made));
  if (!prepared) return fail_with(std::move(prepared).error());
  const WritePlan plan = *std::move(prepared);
  if (auto refused = refuse(plan)) return fail_with(std::move(*refused));
  write(plan, [this, plan, made = std::move(made)](ApiAnswer written) {
    if (written) return answer(made, plan, *written);
    Failure failure = std::move(written).error();
    if (is_failed_test(made.strategy, failure)) {
      failure.code = ErrorCode::kAborted;
      failure.message += "; the object was changed since it was read";
    }
    fail_with(std::move(failure));
  });
}

void MadeWriteRun::answer(const Made& made, const WritePlan& plan, ApiReply& reply) {
  const Json& after = reply.object();
  const Json diff = diff_objects(shown(before_), shown(after));
  Json data = made.data;
  data["dryRun"] = is_dry_run();
  data["identity"] = identity();
  data["action"] = (is_dry_run() ? "would be " : "") + made.done;
  data["changed"] = fingerprint_ != reply.fingerprint();
  data["changes"] = member(diff, "changes");
  if (diff.contains("omitted")) data["omittedChanges"] = diff["omitted"];
  if (data["changed"] == Json(true) && data["changes"].empty()) warn(std::string(kHiddenChange));
  if (!data.contains("fieldOwners")) add_field_owners(plan, reply, data);
  data["precondition"] = precondition_of(is_dry_run() ? before_ : after);
  if (is_dry_run()) {
    data["digest"] = new_digest(plan);
    data["digestValidS"] = digest_validity_s();
  }
  succeed(std::move(data));
}

void MadeWriteRun::succeed_unchanged(Json data) {
  data["dryRun"] = is_dry_run();
  data["identity"] = identity();
  data["action"] = "unchanged";
  data["changed"] = false;
  data["changes"] = Json::array();
  data["precondition"] = precondition_of(before_);
  succeed(std::move(data));
}

}  // namespace filecall::worker::kube
