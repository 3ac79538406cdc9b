// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_list_resources.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/compact.h"
#include "worker/exec/kube/model/sanitize.h"
#include "worker/exec/kube/model/table_rows.h"

namespace filecall::worker::kube {
namespace {

constexpr const char* kTableAccept =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
constexpr std::int64_t kItemsDefault = 100;
constexpr std::int64_t kAnswerBytesMax = 1024 * 1024;
constexpr std::size_t kItemBytesMax = 16 * 1024;

/// Items of an answer, as many as its size allows.
class BoundedItems {
 public:
  explicit BoundedItems(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void add(Json item) {
    const std::size_t bytes = dump_json(item).size();
    if (left_out_ > 0 || bytes_ + bytes > bytes_max_) {
      ++left_out_;
      return;
    }
    bytes_ += bytes;
    items_.push_back(std::move(item));
  }
  /// Puts them as `member`, `returned` and what is missing into the answer.
  void give(Json& data, const char* member, const Json& list_metadata) {
    data["returned"] = items_.size();
    data[member] = std::move(items_);
    const std::string token = text_member(list_metadata, "continue");
    if (const auto remaining = count_member(list_metadata, "remainingItemCount")) {
      data["remaining"] = *remaining + static_cast<std::int64_t>(left_out_);
    }
    data["complete"] = left_out_ == 0 && token.empty();
    if (left_out_ > 0) {
      // A continue token would skip them.
      data["left_out"] = left_out_;
      data["hint"] =
          "the response would be too large; ask again with a smaller limit, a selector or a larger "
          "maxBytes";
    } else if (!token.empty()) {
      data["continue"] = token;
    }
  }

 private:
  const std::size_t bytes_max_;
  Json items_ = Json::array();
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

class ListResourcesRun final : public KubeRun {
 public:
  explicit ListResourcesRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    auto fields = FieldColumns::parse(member(params_, "fields"));
    if (!fields) return fail_with(Failure::of(fields.error()));
    fields_ = *std::move(fields);
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) { read(std::move(found)); });
  }

 private:
  bool wants_manifests() const { return text_member(params_, "view") == "manifests"; }

  void read(Cluster::FoundKind found) {
    found_ = std::move(found);
    const Resource& resource = *found_.resource;
    if (auto refused = refuse_verb(resource, "list")) return fail_with(std::move(*refused));
    const bool wants_all = member(params_, "allNamespaces") == Json(true);
    name_space_ =
        wants_all ? "" : choose_namespace(params_, resource.is_namespaced, cluster().access());
    ApiRequest request;
    request.path = with_query(
        collection_path(resource, name_space_),
        {{"limit", std::to_string(count_member(params_, "limit").value_or(kItemsDefault))},
         {"continue", text_member(params_, "continue")},
         {"labelSelector", text_member(params_, "labelSelector")},
         {"fieldSelector", text_member(params_, "fieldSelector")}});
    request.asked = object_kind(resource);
    if (fields_.is_empty() && !wants_manifests()) request.accept = kTableAccept;
    send(std::move(request), [this](ApiReply& reply) { answer(reply.object(), reply.masked()); });
  }

  void answer(const Json& list, Json masked) {
    if (!is_list(list)) return fail_with(no_list());
    Json data{{"apiVersion", found_.resource->api_version()}, {"kind", found_.resource->kind}};
    if (!name_space_.empty()) data["namespace"] = name_space_;
    const std::int64_t bytes_max = count_member(params_, "maxBytes").value_or(kAnswerBytesMax);
    BoundedItems items(static_cast<std::size_t>(bytes_max));
    const bool is_table = member(list, "rows").is_array();
    if (is_table) {
      add_rows(list, data, items);
    } else if (!fields_.is_empty()) {
      add_fields(member(list, "items"), data, items);
    } else if (member(list, "items").is_array()) {
      add_items(member(list, "items"), items);
    }
    const bool has_rows = is_table || !fields_.is_empty();
    items.give(data, has_rows ? "rows" : "items", member(list, "metadata"));
    // Paths of a table are none of the answer's.
    if (!has_rows && !masked.empty()) data["masked"] = std::move(masked);
    // Nothing of a kind, or no such namespace?
    const bool is_empty = data["returned"] == Json(0) && data["complete"] == Json(true);
    check_namespace(is_empty ? name_space_ : "", [this, data](const Json& more) mutable {
      data.update(more);
      succeed(std::move(data));
    });
  }

  bool has_namespaces() const { return name_space_.empty() && found_.resource->is_namespaced; }

  /// What was asked for of each object, in the form of a table.
  void add_fields(const Json& list, Json& data, BoundedItems& items) const {
    Json columns = Json::array();
    if (has_namespaces()) columns.push_back("Namespace");
    columns.push_back("Name");
    for (Json& name : fields_.names()) columns.push_back(std::move(name));
    data["columns"] = std::move(columns);
    if (!list.is_array()) return;
    for (const Json& object : list) {
      const Json& metadata = member(object, "metadata");
      Json row = Json::array();
      if (has_namespaces()) row.push_back(text_member(metadata, "namespace"));
      row.push_back(text_member(metadata, "name"));
      for (Json& value : fields_.row_of(object)) row.push_back(std::move(value));
      items.add(std::move(row));
    }
  }

  /// What stands in every row stands once.
  void add_rows(const Json& list, Json& data, BoundedItems& items) const {
    TableRows table = table_rows(list, has_namespaces());
    if (found_.resource->kind == "Pod") split_restarts(table);
    if (Json equal = take_equal_columns(table); !equal.empty())
      data["inAllRows"] = std::move(equal);
    data["columns"] = std::move(table.columns);
    for (Json& row : table.rows) items.add(std::move(row));
  }

  void add_items(const Json& list, BoundedItems& items) const {
    SanitizeLimits limits;
    limits.bytes_max = kItemBytesMax;
    for (const Json& object : list) {
      Sanitized sanitized = sanitize(object, limits);
      if (sanitized.manifest.is_object()) {
        // Typed lists leave it to the list.
        sanitized.manifest["apiVersion"] = found_.resource->api_version();
        sanitized.manifest["kind"] = found_.resource->kind;
      }
      Json item{{"name", text_member(member(object, "metadata"), "name")},
                {"sanitizedManifest", std::move(sanitized.manifest)}};
      const std::string name_space = text_member(member(object, "metadata"), "namespace");
      if (!name_space.empty()) item["namespace"] = name_space;
      if (!sanitized.cut.empty()) item["cut"] = std::move(sanitized.cut);
      items.add(std::move(item));
    }
  }

  const Json params_;
  Cluster::FoundKind found_;
  std::string name_space_;
  FieldColumns fields_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_list_resources(std::shared_ptr<KubeService> service,
                                                   std::string_view schema) {
  return make_kube_executor<ListResourcesRun>(
      {"kube.listResources",
       "Lists objects of one kind: the columns that kubectl shows, or manifests without secret "
       "values. In chunks.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
