// SPDX-License-Identifier: MIT
#include "worker/exec/kube/tree_reading.h"

#include <algorithm>

#include "worker/exec/kube/impact_reading.h"

namespace filecall::worker::kube {
namespace {

const ObjectKind kOwnedPod{"", "Pod"};

}  // namespace

TreeLists tree_lists(const ReferenceTable& table, const ResourceTable& served,
                     const ObjectKind& target, std::string_view name, std::string_view name_space) {
  TreeLists out;
  ImpactLists impact = lists_for(table, served, target, name, name_space, 1);
  out.left_out = std::move(impact.left_out);
  const auto want = [&](const Resource& resource, std::string_view in, bool is_metadata_only) {
    const auto same = std::ranges::find(out.lists, &resource, &TreeList::resource);
    if (same == out.lists.end()) {
      out.lists.push_back({&resource, std::string(in), is_metadata_only});
      return;
    }
    if (in.empty()) same->name_space.clear();
    same->is_metadata_only = same->is_metadata_only && is_metadata_only;
  };
  for (const ImpactList& list : impact.lists) want(*list.resource, list.name_space, false);
  for (const ReferenceRule& rule : table.rules()) {
    const bool is_user = std::ranges::any_of(
        rule.to, [&](const ObjectKind& to) { return to == target || to == kOwnedPod; });
    if (!is_user || rule.from.kind == "*") continue;
    for (const Resource& resource : served.resources()) {
      if (resource.group != rule.from.group || resource.kind != rule.from.kind ||
          !resource.is_preferred || !resource.can("list")) {
        continue;
      }
      want(resource, rule.ns == "same" && resource.is_namespaced ? name_space : "", false);
    }
  }
  for (const Resource& resource : served.resources()) {
    if (!has_contents(served, resource)) continue;
    if (name_space.empty() || resource.is_namespaced) want(resource, name_space, true);
  }
  return out;
}

}  // namespace filecall::worker::kube
