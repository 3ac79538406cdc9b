// SPDX-License-Identifier: MIT
#include "worker/config/kube_section.h"

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker {
namespace {

bool is_name_list(const Json& list) {
  return list.is_array() && !list.empty() && std::ranges::all_of(list, [](const Json& item) {
           return item.is_string() && !item.get_ref<const std::string&>().empty();
         });
}

void read_writable(YamlSection& section, kube::KubeConfig& config) {
  const Json list = section.read_json("writable");
  if (list.is_null()) return;
  const char* const kForm = "must be a list of {context: NAME, namespaces: [NAME or \"*\"]}";
  if (!list.is_array()) return section.complain("writable", kForm);
  for (const Json& item : list) {
    const std::string context = text_member(item, "context");
    const Json& namespaces = member(item, "namespaces");
    if (context.empty() || !is_name_list(namespaces) || item.size() != 2) {
      return section.complain("writable", kForm);
    }
    config.writable.push_back({context, namespaces.get<std::vector<std::string>>()});
  }
}

}  // namespace

void read_kube(YamlSection& section, Config& config) {
  kube::KubeConfig& kube = config.kube;
  section.read("kubeconfig", kube.kubeconfig);
  section.read("contexts", kube.contexts);
  read_writable(section, kube);
  section.read("revealSecrets", kube.reveal_secrets);
  std::int64_t max_in_flight = kube.max_in_flight;
  section.read_integer("max_in_flight", 1, 1000, max_in_flight);
  kube.max_in_flight = static_cast<int>(max_in_flight);
  section.read("plugin_timeout", kube.plugins.timeout);
  section.read("plugin_env", kube.plugins.passed);
  for (const kube::WritableContext& entry : kube.writable) {
    const bool is_allowed = kube.contexts.empty() ||
                            std::ranges::find(kube.contexts, entry.context) != kube.contexts.end();
    if (!is_allowed) section.complain("writable", entry.context + " is not among kube.contexts");
  }
}

}  // namespace filecall::worker
