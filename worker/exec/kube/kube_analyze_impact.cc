// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_analyze_impact.h"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/impact_reading.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_list_run.h"
#include "worker/exec/kube/model/manifest.h"

namespace filecall::worker::kube {
namespace {

class AnalyzeImpactRun final : public KubeListRun {
 public:
  explicit AnalyzeImpactRun(KubeTask task)
      : KubeListRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {
    const Json& depth = member(params_, "depth");
    if (depth.is_number_integer()) options_.depth = depth.get<int>();
    options_.is_folded = text_member(params_, "view") != "all";
    options_.path = text_member(params_, "path");
    if (const auto bytes = count_member(params_, "maxBytes")) {
      options_.bytes_max = static_cast<std::size_t>(*bytes);
    }
  }

  void begin() {
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) {
                found_ = std::move(found);
                read_target();
              });
  }

 private:
  void read_target() {
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    ApiRequest request;
    request.path = object_path(*found_.resource, name_space_, text_member(params_, "name"));
    request.asked = object_kind(*found_.resource);
    send(std::move(request), [this](ApiReply& reply) {
      graph_.add(object_kind(*found_.resource), reply.object());
      plan_lists();
    });
  }

  void plan_lists() {
    const ObjectKind kind = object_kind(*found_.resource);
    ImpactLists wanted = lists_for(graph_.table(), *found_.table, kind,
                                   text_member(params_, "name"), name_space_, options_.depth);
    for (const ObjectKind& left_out : wanted.left_out) {
      note_unread(left_out, "", "the cluster has more kinds of its own than are read");
    }
    for (const std::string& version : found_.table->failed()) {
      note_unread({std::string(group_of(version)), "*"}, "",
                  "the cluster does not say what it serves there");
    }
    std::vector<WantedList> lists;
    for (const ImpactList& list : wanted.lists) {
      WantedList one{list.resource, list.name_space};
      // At least what lies beside the object.
      one.fallback = name_space_;
      lists.push_back(std::move(one));
      may_hide_[{list.resource->group, list.resource->kind}] = list.may_hide;
    }
    list_count_ = lists.size();
    // "Not found" is unread as well: what the cluster serves is known from minutes ago, and the
    // objects may be served in another version now.
    read_lists(
        std::move(lists),
        [this](const WantedList& list, const Json& items) {
          for (const Json& item : items) graph_.add(object_kind(*list.resource), item);
          object_count_ += items.size();
        },
        [this] { finish(); });
  }

  std::vector<UnreadKind> unread_kinds() const {
    std::vector<UnreadKind> out;
    for (const UnreadList& list : unread()) {
      const auto hidden = may_hide_.find({list.kind.group, list.kind.kind});
      out.push_back({list.kind, list.name_space, list.why,
                     hidden == may_hide_.end() ? Severity::kNone : hidden->second});
    }
    return out;
  }

  void finish() {
    graph_.link();
    const std::string name = text_member(params_, "name");
    const auto target = graph_.find(object_kind(*found_.resource), name_space_, name);
    if (!target) {
      return fail_with(
          Failure::of({ErrorCode::kUnavailable,
                       fmt::format("the server's response is not an object '{}'", name)}));
    }
    Json data = analyze_impact(graph_, *target, unread_kinds(), options_);
    data["identity"] = identity_of(*found_.resource, name_space_, name);
    data["read"] = {{"lists", list_count_}, {"objects", object_count_}};
    succeed(std::move(data));
  }

  const Json params_;
  Cluster::FoundKind found_;
  std::string name_space_;
  ObjectGraph graph_{ReferenceTable::builtin()};
  /// By group and kind of a list: the worst that it may hide.
  std::map<std::pair<std::string, std::string>, Severity> may_hide_;
  ImpactOptions options_;
  std::size_t list_count_ = 0;
  std::size_t object_count_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_kube_analyze_impact(std::shared_ptr<KubeService> service,
                                                   std::string_view schema) {
  return make_kube_executor<AnalyzeImpactRun>(
      {"kube.analyzeImpact",
       "Says what breaks if a Kubernetes or Istio object were deleted, and what could not be read.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
