// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_top.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/near_names.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_list_run.h"
#include "worker/exec/kube/model/usage.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kUsageRowsDefault = 50;

Resource metrics_of(const char* kind, const char* plural, bool is_namespaced) {
  Resource resource = core_resource(kind, plural);
  resource.group = "metrics.k8s.io";
  resource.version = "v1beta1";
  resource.is_namespaced = is_namespaced;
  return resource;
}

class TopRun final : public KubeListRun {
 public:
  explicit TopRun(KubeTask task)
      : KubeListRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    is_of_nodes_ = text_member(params_, "kind") == "nodes";
    const bool is_everywhere = is_of_nodes_ || member(params_, "allNamespaces") == Json(true);
    name_space_ = is_everywhere ? "" : choose_namespace(params_, true, cluster().access());
    if (!is_of_nodes_) question_.has_namespaces = is_everywhere;
    question_.by_container = !is_of_nodes_ && member(params_, "containers") == Json(true);
    question_.rows_max =
        static_cast<std::size_t>(count_member(params_, "limit").value_or(kUsageRowsDefault));
    if (const std::string by = text_member(params_, "sortBy"); !by.empty()) question_.sort_by = by;
    ask_metrics();
  }

 private:
  /// All in one piece: the metrics API has no pages.
  void ask_metrics() {
    const std::string name = text_member(params_, "name");
    const Resource& asked = is_of_nodes_ ? node_metrics_ : pod_metrics_;
    ApiRequest request;
    request.path = with_query(
        name.empty() ? collection_path(asked, name_space_) : object_path(asked, name_space_, name),
        {{"labelSelector", text_member(params_, "labelSelector")}});
    request.asked = object_kind(asked);
    try_send(std::move(request), [this, name](ApiAnswer answer) {
      if (!answer && !take_absence(answer.error(), name)) return;
      if (answer) {
        const Json& body = answer->object();
        if (name.empty() && !is_list(body)) return fail_with(no_list());
        metrics_ = name.empty() ? member(body, "items") : Json::array({body});
        if (!metrics_.is_array()) metrics_ = Json::array();
      }
      read_rest();
    });
  }

  /// Whether a failure says only that one object has no metrics (yet): then it is shown without.
  /// Ends the command otherwise.
  bool take_absence(Failure failure, const std::string& name) {
    const bool is_absent = failure.code == ErrorCode::kNotFound;
    if (is_absent && !name.empty() && text_member(failure.details, "name") == name) return true;
    if (is_absent) {
      failure.code = ErrorCode::kFailedPrecondition;
      failure.retryable = false;
      failure.message =
          "the cluster serves no metrics (metrics.k8s.io/v1beta1): no metrics-server or the like "
          "is "
          "installed, so what is used now is not known";
    } else if (failure.code == ErrorCode::kUnavailable && failure.details.contains("http_status")) {
      failure.message +=
          "; the metrics API is registered (APIService v1beta1.metrics.k8s.io) and "
          "does not answer";
    }
    fail_with(std::move(failure));
    return false;
  }

  void read_rest() {
    const std::string name = text_member(params_, "name");
    const std::string selector = text_member(params_, "labelSelector");
    const std::string field = name.empty() ? "" : "metadata.name=" + name;
    std::vector<WantedList> lists;
    WantedList pods{&pods_, name_space_};
    if (is_of_nodes_) {
      WantedList nodes{&nodes_, ""};
      nodes.label_selector = selector;
      nodes.field_selector = field;
      lists.push_back(std::move(nodes));
      if (!name.empty()) pods.field_selector = "spec.nodeName=" + name;
    } else {
      pods.label_selector = selector;
      pods.field_selector = field;
    }
    lists.push_back(std::move(pods));
    read_lists(
        std::move(lists),
        [this](const WantedList& list, const Json& items) {
          Json& kept = list.resource == &pods_ ? pod_list_ : node_list_;
          if (kept.is_null()) kept = Json::array();
          for (const Json& item : items) kept.push_back(item);
        },
        [this] { finish(); });
  }

  void finish() {
    const std::string name = text_member(params_, "name");
    const Json& there = is_of_nodes_ ? node_list_ : pod_list_;
    if (!name.empty() && metrics_.empty() && there.empty() && unread().empty()) {
      Failure failure = Failure::of({ErrorCode::kNotFound, "there is no such object: " + name});
      failure.details = Json{{"reason", "NotFound"}, {"name", name}};
      const Resource& resource = is_of_nodes_ ? nodes_ : pods_;
      return explain_absence(std::move(failure), object_path(resource, name_space_, name),
                             object_kind(resource));
    }
    // A part of the pods would make sums that are not so.
    const bool has_all = unread().empty();
    Json data = is_of_nodes_
                    ? node_usage(metrics_, node_list_, has_all ? pod_list_ : Json(), question_)
                    : pod_usage(metrics_, pod_list_, question_);
    data["kind"] = is_of_nodes_ ? "nodes" : "pods";
    if (!name_space_.empty()) data["namespace"] = name_space_;
    data["complete"] = has_all && !data.contains("left_out") && data["withoutMetrics"] == Json(0);
    if (!has_all) data["unread"] = unread_json();
    const bool is_empty = data["returned"] == Json(0) && has_all;
    check_namespace(is_empty ? name_space_ : "", [this, data](const Json& more) mutable {
      data.update(more);
      succeed(std::move(data));
    });
  }

  const Json params_;
  const Resource pods_ = core_resource("Pod", "pods");
  const Resource nodes_ = [] {
    Resource nodes = core_resource("Node", "nodes");
    nodes.is_namespaced = false;
    return nodes;
  }();
  const Resource pod_metrics_ = metrics_of("PodMetrics", "pods", true);
  const Resource node_metrics_ = metrics_of("NodeMetrics", "nodes", false);
  UsageQuestion question_;
  bool is_of_nodes_ = false;
  std::string name_space_;
  Json metrics_ = Json::array();
  Json pod_list_;
  Json node_list_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_top(std::shared_ptr<KubeService> service,
                                        std::string_view schema) {
  return make_kube_executor<TopRun>(
      {"kube.top",
       "Shows what pods or nodes use of processors and memory now, beside what they ask for.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
