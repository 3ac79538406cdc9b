// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_get_resource.h"

#include <deque>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/references.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kObjectBytesMax = 16 * 1024 * 1024;
constexpr std::size_t kReferencesMax = 200;
constexpr std::size_t kChecksMax = 100;
constexpr int kChecksAtOnce = 8;
/// Only whether it is there is asked for.
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";

class GetResourceRun final : public KubeRun {
 public:
  explicit GetResourceRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params),
        config_(task.config) {}

  void begin() {
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) { read(std::move(found)); });
  }

 private:
  void read(Cluster::FoundKind found) {
    found_ = std::move(found);
    if (auto refused = refuse_verb(*found_.resource, "get")) return fail_with(std::move(*refused));
    const std::string name = text_member(params_, "name");
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    ApiRequest request;
    request.path = object_path(*found_.resource, name_space_, name);
    request.asked = object_kind(*found_.resource);
    request.body_bytes_max = kObjectBytesMax;
    if (member(params_, "revealSecrets") == Json(true)) request.reveal = config_.reveal_permit();
    const auto then = [this](ApiReply& reply) { answer(reply.take_object()); };
    if (is_checking_references()) return send(std::move(request), then);
    send_last(std::move(request), then);
  }

  void answer(Json object) {
    Json data = Json::object();
    data["identity"] = identity_of(*found_.resource, name_space_, text_member(params_, "name"));
    data["precondition"] = precondition_of(object);
    references_ = references_json(
        references_of(ReferenceTable::builtin(), object_kind(*found_.resource), object));
    if (references_.size() > kReferencesMax) {
      data["referencesOmitted"] = references_.size() - kReferencesMax;
      references_.erase(references_.begin() + kReferencesMax, references_.end());
    }
    Sanitized sanitized = sanitize(std::move(object));
    data["sanitizedManifest"] = std::move(sanitized.manifest);
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
    data_ = std::move(data);
    if (is_checking_references()) {
      for (std::size_t i = 0; i < references_.size(); ++i) unchecked_.push_back(i);
    }
    check();
  }

  /// Asks for some references at a time; answers when none is left. Nothing may follow a call of
  /// it.
  void check() {
    is_checking_ = true;  // An answer may come before try_send() returns.
    while (in_flight_ < kChecksAtOnce && !unchecked_.empty()) {
      Json& row = references_[unchecked_.front()];
      unchecked_.pop_front();
      const Resource* resource = resource_of(row);
      const std::string name = text_member(row, "name");
      const std::string name_space = text_member(row, "namespace");
      // What is chosen by a selector, a pattern or a host is no single object.
      const bool is_single = !name.empty() && name.find('*') == std::string::npos;
      if (!is_single || checks_ >= kChecksMax) continue;
      if (resource == nullptr) {
        row["exists"] = false;
        row["why"] = "the cluster does not serve this kind";
        continue;
      }
      if (resource->is_namespaced == name_space.empty()) continue;
      ++checks_;
      ++in_flight_;
      ApiRequest request;
      request.path = object_path(*resource, name_space, name);
      request.accept = kMetadataOnly;
      request.asked = object_kind(*resource);
      request.body_bytes_max = kObjectBytesMax;
      try_send(std::move(request), [this, &row](ApiAnswer answer) {
        --in_flight_;
        if (answer) {
          row["exists"] = true;
        } else if (answer.error().code == ErrorCode::kNotFound) {
          row["exists"] = false;
        } else {
          row["exists"] = nullptr;
          row["why"] = answer.error().message;
        }
        if (!is_checking_) check();
      });
    }
    is_checking_ = false;
    if (in_flight_ > 0 || !unchecked_.empty()) return;
    data_["referencedResources"] = std::move(references_);
    succeed(std::move(data_));
  }

  bool is_checking_references() const { return member(params_, "checkReferences") == Json(true); }

  const Resource* resource_of(const Json& row) const {
    for (const Resource& resource : found_.table->resources()) {
      if (resource.kind == text_member(row, "kind") &&
          resource.group == text_member(row, "group") && resource.is_preferred) {
        return &resource;
      }
    }
    return nullptr;
  }

  const Json params_;
  const KubeConfig& config_;
  Cluster::FoundKind found_;
  std::string name_space_;
  Json data_;
  Json references_;
  std::deque<std::size_t> unchecked_;
  std::size_t checks_ = 0;
  int in_flight_ = 0;
  bool is_checking_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_kube_get_resource(std::shared_ptr<KubeService> service,
                                                 std::string_view schema) {
  return make_kube_executor<GetResourceRun>(
      {"kube.getResource",
       "Reads one Kubernetes or Istio object of any kind, without secret values.", schema,
       Effects::kNone, Risk::kLow, true},
      std::move(service));
}

}  // namespace filecall::worker::kube
