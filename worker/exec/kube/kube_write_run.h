// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/preview_digest.h"
#include "worker/exec/kube/model/write_params.h"
#include "worker/exec/kube/model/write_plan.h"

namespace filecall::worker::kube {

/// What the commands that change something share: the kind, the place, whether writing there is
/// allowed, the manifest, the one request that is sent. Loop thread only.
class WriteRun : public KubeRun {
 public:
  explicit WriteRun(KubeTask task);

 protected:
  /// Finds the kind, then calls `then`. `subresource`: what of the object is written ("status",
  /// "scale"); empty: the object itself. The apiVersion of the arguments counts, else that of the
  /// manifest: a write goes to the version that it was written for.
  void find_target(std::string_view verb, std::function<void()> then,
                   std::string_view subresource = "");
  /// What `strategy` sends: the manifest of `values` and `manifestYaml`, or `patch`. The
  /// precondition is part of it.
  Result<WritePlan, Failure> prepare(WriteStrategy strategy, const Precondition& precondition);
  /// A patch that the command itself has made.
  Result<WritePlan, Failure> prepare_patch(WriteStrategy strategy, Json patch,
                                           const Precondition& precondition) const;
  /// Why the plan may not be carried out: the configuration does not allow writes there, or it is
  /// not what `expectedDigest` was given for. nullopt: it may.
  std::optional<Failure> refuse(const WritePlan& plan);
  /// Sends the plan, or its dry run. A write uses up the preview that it was given: before it is
  /// sent, so that a worker that dies cannot send it twice; a refusal of the server gives it back.
  void write(const WritePlan& plan, std::function<void(ApiAnswer)> then);
  /// The write was previewed for an object that is not there.
  bool expects_absence() const;
  ApiRequest request_of(const WritePlan& plan, bool is_dry_run) const;
  /// `read` answered reading(): answers to later writes hide what it hides, and say whose fields
  /// they change.
  void note_earlier(const ApiReply& read) { earlier_ = read.unredacted_for_a_write(); }
  /// What note_earlier() was given, as it came, secrets included: for the names of its managers.
  const Json& earlier() const { return earlier_; }
  /// A GET of the object, of its subresource when one is written.
  ApiRequest reading() const;

  /// Warns of what was sent and is not in the server's answer.
  void compare(const WritePlan& plan, const Json& answered);

  /// A new digest for the plan.
  std::string new_digest(const WritePlan& plan);
  std::int64_t digest_validity_s() const;
  Precondition given_precondition() const;
  WriteOptions options() const;
  Json identity() const;
  bool is_dry_run() const;
  const Json& params() const { return params_; }
  const Resource& resource() const { return *found_.resource; }
  const std::string& name() const { return name_; }
  const std::string& name_space() const { return name_space_; }
  const Json& notes() const { return notes_; }

 private:
  Result<Json> built_manifest();
  /// Why the kind has no such subresource; empty: it has.
  std::string subresource_mistake() const;
  /// Why a patch of the status alone would do nothing; warns where it is a part of the patch.
  std::string status_mistake(const Json& patch);
  /// What of the API the plan needs: create, patch, delete.
  std::vector<std::string_view> verbs_of(const WritePlan& plan) const;
  /// Why the configuration does not allow these verbs on the target; empty: it does.
  std::string refusal_of(const std::vector<std::string_view>& verbs);
  DigestKey preview_key();
  BoundWrite bound(const WritePlan& plan);
  std::string path_of(const WritePlan& plan) const;

  const Json params_;
  KubeService& service_;
  Cluster::FoundKind found_;
  std::string name_;
  std::string name_space_;
  std::string subresource_;  ///< Empty: the object itself.
  Json notes_ = Json::array();
  Json earlier_;  ///< As it came, secrets included; for the Redactor.
};

/// Says of a write that it changes only what no answer shows.
inline constexpr std::string_view kHiddenChange =
    "something changes that is not shown: a copy of the object in an annotation, the order of "
    "items, more of a value than a digest tells apart";

}  // namespace filecall::worker::kube
