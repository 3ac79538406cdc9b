// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_api_resources.h"

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/compact.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kBytesMax = 1024 * 1024;

class ApiResourcesRun final : public KubeRun {
 public:
  explicit ApiResourcesRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    auto columns = FieldColumns::parse(member(params_, "fields"));
    if (!columns) return fail_with(Failure::of(columns.error()));
    columns_ = *std::move(columns);
    with_kinds(member(params_, "refresh") == Json(true),
               [this](const ResourceTable& table) { answer(table); });
  }

 private:
  bool is_wanted(const Resource& resource) const {
    const Json& group = member(params_, "group");
    const Json& namespaced = member(params_, "namespaced");
    const std::string verb = text_member(params_, "verb");
    if (group.is_string() && group != Json(resource.group)) return false;
    if (namespaced.is_boolean() && namespaced != Json(resource.is_namespaced)) return false;
    if (!verb.empty() && !resource.can(verb)) return false;
    return resource.is_preferred || member(params_, "allVersions") == Json(true);
  }

  void answer(const ResourceTable& table) {
    Json list = Json::array();
    auto bytes_left = count_member(params_, "maxBytes").value_or(kBytesMax);
    std::size_t left_out = 0;
    for (const Resource& resource : table.resources()) {
      if (!is_wanted(resource)) continue;
      Json row({{"name", resource.plural},
                {"kind", resource.kind},
                {"apiVersion", resource.api_version()},
                {"namespaced", resource.is_namespaced},
                {"shortNames", resource.short_names},
                {"verbs", resource.verbs}});
      if (!columns_.is_empty()) row = columns_.row_of(row);
      bytes_left -= static_cast<std::int64_t>(dump_json(row).size()) + 1;
      bytes_left < 0 ? void(++left_out) : list.push_back(std::move(row));
    }
    Json data{{"returned", list.size()}};
    if (!columns_.is_empty()) data["columns"] = columns_.names();
    data[columns_.is_empty() ? "resources" : "rows"] = std::move(list);
    data["complete"] = table.failed().empty() && left_out == 0;
    if (left_out > 0) data["left_out"] = left_out;
    if (!table.failed().empty()) data["unreachable"] = table.failed();
    succeed(std::move(data));
  }

  const Json params_;
  FieldColumns columns_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_api_resources(std::shared_ptr<KubeService> service,
                                                  std::string_view schema) {
  return make_kube_executor<ApiResourcesRun>(
      {"kube.apiResources", "Lists the kinds that a cluster serves, custom ones included.", schema,
       Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
