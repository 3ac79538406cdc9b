// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/revisions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr const char* kChangeCause = "kubernetes.io/change-cause";
constexpr const char* kTemplateHash = "pod-template-hash";
constexpr std::size_t kCauseBytes = 500;
constexpr std::size_t kRevisionsNamed = 20;

std::string annotation_of(const Json& object, const char* name) {
  return text_member(member(member(object, "metadata"), "annotations"), name);
}

std::int64_t number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// The controller of Deployments counts in an annotation; on anything else nobody vouches for it.
bool is_numbered_by_annotation(std::string_view kind) { return kind == "Deployment"; }

/// A ControllerRevision has its number itself, a ReplicaSet in an annotation.
std::int64_t number_of(std::string_view kind, const Json& object) {
  if (is_numbered_by_annotation(kind)) return number_in(annotation_of(object, kRevision));
  return count_member(object, "revision").value_or(0);
}

bool is_controlled_by(const Json& object, const std::string& uid) {
  for (const Json& owner : member(member(object, "metadata"), "ownerReferences")) {
    if (member(owner, "controller") == Json(true) && text_member(owner, "uid") == uid) return true;
  }
  return false;
}

Json images_of(const Json& pod_template) {
  Json out = Json::array();
  for (const Json& container : member(member(pod_template, "spec"), "containers")) {
    out.push_back(text_member(container, "image"));
  }
  return out;
}

/// What an undo leaves as the Deployment has it.
bool is_kept_by_undo(std::string_view annotation) {
  constexpr std::string_view kKept[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                        "deployment.kubernetes.io/revision",
                                        "deployment.kubernetes.io/revision-history",
                                        "deployment.kubernetes.io/desired-replicas",
                                        "deployment.kubernetes.io/max-replicas",
                                        "deprecated.deployment.rollback.to"};
  return std::ranges::find(kKept, annotation) != std::end(kKept);
}

}  // namespace

std::vector<Revision> revisions_of(std::string_view kind, const Json& owner, const Json& items) {
  std::vector<Revision> out;
  const std::string uid = text_member(member(owner, "metadata"), "uid");
  if (uid.empty() || !items.is_array()) return out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t number = number_of(kind, items[i]);
    if (number <= 0 || !is_controlled_by(items[i], uid)) continue;
    out.push_back({number, text_member(member(items[i], "metadata"), "name"), i});
  }
  std::ranges::sort(out, {}, [](const Revision& one) { return std::pair(one.number, one.name); });
  return out;
}

std::int64_t present_revision(std::string_view kind, const Json& owner,
                              const std::vector<Revision>& revisions) {
  if (is_numbered_by_annotation(kind)) {
    if (const std::int64_t said = number_in(annotation_of(owner, kRevision)); said > 0) return said;
  }
  const std::string name = text_member(member(owner, "status"), "updateRevision");
  for (const Revision& one : revisions) {
    if (!name.empty() && one.name == name) return one.number;
  }
  return revisions.empty() ? 0 : revisions.back().number;
}

Json history_of(std::string_view kind, const Json& owner, const Json& items) {
  Json out = Json::array();
  const std::vector<Revision> revisions = revisions_of(kind, owner, items);
  const std::int64_t present = present_revision(kind, owner, revisions);
  for (auto one = revisions.rbegin(); one != revisions.rend(); ++one) {
    const Json& object = items[one->index];
    Json row{{"revision", one->number}, {"name", one->name}};
    row["createdAt"] = text_member(member(object, "metadata"), "creationTimestamp");
    row["images"] = images_of(template_of(object));
    if (const auto count = count_member(member(object, "status"), "replicas")) {
      row["replicas"] = *count;
    }
    const std::string cause = annotation_of(object, kChangeCause);
    if (!cause.empty()) row["changeCause"] = excerpt(cause, kCauseBytes);
    row["current"] = one->number == present;
    out.push_back(std::move(row));
  }
  return out;
}

Result<Revision> choose_revision(std::string_view kind, const Json& owner,
                                 const std::vector<Revision>& revisions, std::int64_t wanted) {
  const std::int64_t present = present_revision(kind, owner, revisions);
  const Revision* found = nullptr;
  std::vector<std::int64_t> numbers;
  for (const Revision& one : revisions) {
    if (numbers.size() < kRevisionsNamed) numbers.push_back(one.number);
    if (wanted == 0 ? one.number < present : one.number == wanted) found = &one;
  }
  if (found != nullptr) return *found;
  if (wanted == 0) {
    return fail(ErrorCode::kFailedPrecondition,
                "there is no earlier revision to go back to; kube.rolloutStatus with history lists "
                "them");
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("/params/toRevision: there is no revision {}; there are {}", wanted,
                          numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "))));
}

Json template_of(const Json& revision) {
  const Json& data = member(revision, "data");
  const Json& spec = member(data.is_object() ? data : revision, "spec");
  Json out = member(spec, "template");
  if (!out.is_object()) return nullptr;
  out.erase("$patch");
  const auto metadata = out.find("metadata");
  if (metadata == out.end() || !metadata->is_object()) return out;
  const auto labels = metadata->find("labels");
  if (labels != metadata->end() && labels->is_object()) labels->erase(kTemplateHash);
  return out;
}

Json annotations_after_undo(const Json& deployment, const Json& replica_set) {
  Json out = Json::object();
  const auto take = [&](const Json& object, bool is_kept) {
    const Json& annotations = member(member(object, "metadata"), "annotations");
    if (!annotations.is_object()) return;
    for (const auto& [name, value] : annotations.items()) {
      if (is_kept_by_undo(name) == is_kept) out[name] = value;
    }
  };
  take(deployment, true);
  take(replica_set, false);
  return out;
}

}  // namespace filecall::worker::kube
