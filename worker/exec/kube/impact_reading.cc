// SPDX-License-Identifier: MIT
#include "worker/exec/kube/impact_reading.h"

#include <algorithm>
#include <array>
#include <set>

namespace filecall::worker::kube {
namespace {

/// What controllers make and own, and what must be known to resolve selectors and hosts.
const std::array kAlwaysListed = std::to_array<std::string_view>(
    {"Pod", "apps/ReplicaSet", "batch/Job", "discovery.k8s.io/EndpointSlice",
     "PersistentVolumeClaim", "Service"});

/// What objects of other namespaces refer to.
const std::array kSharedKinds = std::to_array<std::string_view>(
    {"Service", "Secret", "ConfigMap", "ServiceAccount", "networking.istio.io/Gateway",
     "gateway.networking.k8s.io/Gateway"});

void add_kind(std::vector<ObjectKind>& kinds, const ObjectKind& kind) {
  if (kind.kind != "*" && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    kinds.push_back(kind);
  }
}

/// Whether all that objects of the kind need lies in their own namespace.
bool stays_in_namespace(const ReferenceTable& table, const ObjectKind& kind) {
  return std::ranges::all_of(table.rules(), [&](const ReferenceRule& rule) {
    return rule.from != kind || rule.ns == "same" || rule.ns == "cluster" ||
           rule.target_deleted <= Severity::kLow;
  });
}

const Resource* served_resource(const ResourceTable& served, const ObjectKind& kind) {
  for (const Resource& resource : served.resources()) {
    if (resource.group == kind.group && resource.kind == kind.kind && resource.is_preferred) {
      return resource.can("list") ? &resource : nullptr;
    }
  }
  return nullptr;
}

/// The kinds of objects that go: that of the target, what a definition defines, and of all that a
/// namespace may hold what others refer to from outside.
std::vector<ObjectKind> lost_with(const ResourceTable& served, const ObjectKind& target,
                                  std::string_view name) {
  std::vector<ObjectKind> out = {target};
  if (target == ObjectKind{"", "Namespace"}) {
    for (const std::string_view kind : kSharedKinds) out.push_back(parse_kind(kind));
  }
  if (target.kind == "CustomResourceDefinition") {
    for (const Resource& resource : served.resources()) {
      if (name == resource.plural + "." + resource.group) {
        add_kind(out, {resource.group, resource.kind});
      }
    }
  }
  return out;
}

/// The same objects are served by more than one group (events; ingresses also in the old group
/// "extensions"): once is enough. What lists nothing of its own (reviews) cannot be listed at all.
bool is_listed_for_contents(const ResourceTable& served, const Resource& resource) {
  const auto stands_for_it = [&](const Resource& other) {
    return other.group != resource.group && other.plural == resource.plural;
  };
  return resource.is_preferred && resource.can("list") && resource.can("delete") &&
         resource.kind != "Event" &&
         (resource.group != "extensions" ||
          !std::ranges::any_of(served.resources(), stands_for_it));
}

}  // namespace

std::vector<ImpactList> lists_for(const ReferenceTable& table, const ResourceTable& served,
                                  const ObjectKind& target, std::string_view name,
                                  std::string_view name_space, int depth) {
  std::vector<ObjectKind> kinds;
  for (const std::string_view kind : kAlwaysListed) add_kind(kinds, parse_kind(kind));
  for (const ObjectKind& kind : table.kinds_affected_by(target)) add_kind(kinds, kind);
  std::vector<ObjectKind> level = lost_with(served, target, name);
  for (int step = 0; step < depth; ++step) {
    std::vector<ObjectKind> next;
    for (const ObjectKind& kind : level) {
      for (const ObjectKind& from : table.kinds_referring_to(kind)) add_kind(next, from);
    }
    for (const ObjectKind& kind : next) add_kind(kinds, kind);
    level = std::move(next);
  }
  std::vector<ImpactList> out;
  std::set<const Resource*> listed;
  for (const ObjectKind& kind : kinds) {
    const Resource* resource = served_resource(served, kind);
    if (resource == nullptr || !listed.insert(resource).second) continue;
    const bool is_near =
        resource->is_namespaced && !name_space.empty() && stays_in_namespace(table, kind);
    out.push_back({resource, is_near ? std::string(name_space) : ""});
  }
  // All that a namespace holds, and all objects of a definition.
  for (const Resource& resource : served.resources()) {
    const bool is_content = (target == ObjectKind{"", "Namespace"} && resource.is_namespaced) ||
                            (target.kind == "CustomResourceDefinition" && !resource.group.empty() &&
                             name == resource.plural + "." + resource.group);
    if (!is_content || !is_listed_for_contents(served, resource) ||
        !listed.insert(&resource).second) {
      continue;
    }
    out.push_back({&resource, target.kind == "Namespace" ? std::string(name) : ""});
  }
  return out;
}

}  // namespace filecall::worker::kube
