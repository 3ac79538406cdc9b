// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_get_resource.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/compact.h"
#include "worker/exec/kube/model/needed_parts.h"
#include "worker/exec/kube/model/object_graph.h"
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

const ObjectKind kRuleKind{"networking.istio.io", "DestinationRule"};
constexpr int kRulesMax = 500;

class GetResourceRun final : public KubeRun {
 public:
  explicit GetResourceRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done), std::move(task.yield_place)),
        params_(task.params),
        config_(task.service.config()) {}

  void begin() {
    for (const Json& field : member(params_, "fields")) {
      auto path = parse_field(field.get<std::string>());
      if (!path) return fail_with(Failure::of(path.error()));
      fields_.emplace_back(field.get<std::string>(), *std::move(path));
    }
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
    const auto then = [this](ApiReply& reply) {
      Json object = reply.take_object();
      answer(std::move(object), reply.masked());
    };
    if (is_checking_references()) return send(std::move(request), then);
    send_last(std::move(request), then);
  }

  void answer(Json object, Json masked) {
    Json data = Json::object();
    data["identity"] = identity_of(*found_.resource, name_space_, text_member(params_, "name"));
    data["precondition"] = precondition_of(object);
    bool is_cut = false;
    std::vector<Reference> references =
        references_of(ReferenceTable::builtin(), object_kind(*found_.resource), object, &is_cut);
    for (Reference& reference : references) put_served_first(reference.kinds);
    references_ = references_json(references);
    tell_needed_parts(object, references_);
    if (references_.size() > kReferencesMax) {
      data["referencesOmitted"] = references_.size() - kReferencesMax;
      references_.erase(references_.begin() + kReferencesMax, references_.end());
    }
    // More fields look like references than are looked at: how many is not known.
    if (is_cut) data["referencesCut"] = true;
    if (is_checking_references()) object_ = object;
    if (!fields_.empty()) {
      give_fields(object, data);
    } else {
      give_manifest(std::move(object), data);
    }
    if (!masked.empty()) data["masked"] = std::move(masked);
    data_ = std::move(data);
    if (is_checking_references()) {
      for (std::size_t i = 0; i < references_.size(); ++i) unchecked_.push_back(i);
    }
    check();
  }

  SanitizeLimits limits() const {
    SanitizeLimits out;
    const auto bytes = count_member(params_, "maxBytes");
    if (bytes) out.bytes_max = static_cast<std::size_t>(*bytes);
    return out;
  }

  void give_manifest(Json object, Json& data) const {
    Sanitized sanitized = sanitize(std::move(object), limits());
    const bool is_compact = text_member(params_, "view") == "compact";
    data["sanitizedManifest"] =
        is_compact ? without_identity(compact(std::move(sanitized.manifest)), data["identity"])
                   : std::move(sanitized.manifest);
    if (!sanitized.cut.empty()) data["cut"] = std::move(sanitized.cut);
  }

  void give_fields(const Json& object, Json& data) const {
    Json fields = Json::object();
    for (const auto& [text, path] : fields_) fields[text] = value_at(object, text, path);
    Json cut = Json::array();
    data["fields"] = shortened(std::move(fields), limits(), cut);
    if (!cut.empty()) data["cut"] = std::move(cut);
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
      const bool is_guess = member(row, "possible") == Json(true) && resource == nullptr;
      if (!is_single || is_guess) continue;
      if (resource == nullptr) {
        row["exists"] = false;
        row["why"] = "the cluster does not serve this kind";
        continue;
      }
      if (resource->is_namespaced == name_space.empty()) continue;
      if (checks_ >= kChecksMax) {
        row["exists"] = nullptr;
        row["why"] = fmt::format("only {} references are checked", kChecksMax);
        continue;
      }
      ++checks_;
      ++in_flight_;
      ApiRequest request;
      request.path = object_path(*resource, name_space, name);
      // Keys and ports are no metadata.
      const bool has_parts = row.contains("key") || row.contains("keys") || row.contains("port");
      if (!has_parts) request.accept = kMetadataOnly;
      request.asked = object_kind(*resource);
      request.body_bytes_max = kObjectBytesMax;
      try_send(std::move(request), [this, &row](ApiAnswer answer) {
        --in_flight_;
        if (answer) {
          row["exists"] = true;
          check_parts(answer->object(), row);
        } else if (answer.error().code == ErrorCode::kNotFound && !row.contains("ambiguous")) {
          row["exists"] = false;
        } else if (answer.error().code == ErrorCode::kNotFound) {
          row["exists"] = nullptr;
          row["why"] = "there is none of this name; the field may mean another one";
        } else {
          row["exists"] = nullptr;
          row["why"] = answer.error().message;
        }
        if (!is_checking_) check();
      });
    }
    is_checking_ = false;
    if (in_flight_ > 0 || !unchecked_.empty()) return;
    if (is_checking_references()) return check_subsets();
    finish();
  }

  void finish() {
    // Those who ask for less ask for references by themselves.
    const bool is_short = !fields_.empty() || text_member(params_, "view") == "compact";
    if (is_checking_references() || !is_short) {
      data_["referencedResources"] = std::move(references_);
    }
    succeed(std::move(data_));
  }

  static void check_parts(const Json& target, Json& row) {
    if (row.contains("port")) row["portExists"] = has_port(row, target);
    if (!row.contains("key") && !row.contains("keys")) return;
    const std::vector<std::string> missing = missing_keys(row, target);
    row["keyExists"] = missing.empty();
    if (!missing.empty() && row.contains("keys")) row["missingKeys"] = missing;
  }

  /// Of a kind that goes by several groups the one that this cluster has.
  void put_served_first(std::vector<ObjectKind>& kinds) const {
    if (kinds.size() < 2 || kinds[0].kind != kinds[1].kind) return;
    const auto is_served = [&](const ObjectKind& kind) {
      return resource_of({{"kind", kind.kind}, {"group", kind.group}}) != nullptr;
    };
    std::stable_partition(kinds.begin(), kinds.end(), is_served);
  }

  /// A subset is defined by whatever DestinationRule is for its host.
  void check_subsets() {
    const auto has_subset = [](const Json& row) { return row.contains("subset"); };
    if (!std::ranges::any_of(references_, has_subset)) return finish();
    const Resource* resource = resource_of({{"kind", kRuleKind.kind}, {"group", kRuleKind.group}});
    if (resource == nullptr) {
      tell_subsets([](Json& row) {
        row["exists"] = false;
        row["why"] = "the cluster does not serve this kind";
      });
      return finish();
    }
    ApiRequest request;
    request.path =
        with_query(collection_path(*resource, ""), {{"limit", std::to_string(kRulesMax)}});
    request.asked = kRuleKind;
    request.body_bytes_max = kObjectBytesMax;
    try_send(std::move(request), [this](ApiAnswer answer) {
      if (answer) {
        take_rules(answer->object());
      } else {
        tell_subsets([&](Json& row) {
          row["exists"] = nullptr;
          row["why"] = answer.error().message;
        });
      }
      finish();
    });
  }

  void tell_subsets(const std::function<void(Json&)>& tell) {
    for (Json& row : references_) {
      if (row.contains("subset")) tell(row);
    }
  }

  void take_rules(const Json& list) {
    ObjectGraph graph(ReferenceTable::builtin());
    graph.add(object_kind(*found_.resource), object_);
    for (const Json& rule : member(list, "items")) graph.add(kRuleKind, rule);
    graph.link();
    const bool is_whole = text_member(member(list, "metadata"), "continue").empty();
    tell_subsets([&](Json& row) {
      const auto& edges = graph.out_edges(0);
      const bool is_there = std::ranges::any_of(edges, [&](const GraphEdge& edge) {
        return edge.reference->path == text_member(row, "path");
      });
      row["exists"] = is_there || is_whole ? Json(is_there) : Json();
      if (!is_there && !is_whole) {
        row["why"] = fmt::format("the cluster has more than {} DestinationRules", kRulesMax);
      }
    });
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
  std::vector<std::pair<std::string, FieldPath>> fields_;
  Json object_;  ///< When subsets may have to be looked for.
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
