// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/resource_table.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/nearest.h"

namespace filecall::worker::kube {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

/// "name.version.group" and "name.group" as their parts; the rest is empty when there is no dot.
struct NameParts {
  std::string_view name;
  std::string_view rest;
};
NameParts split_name(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {text, ""};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

bool is_version_name(std::string_view text) {
  return text.size() > 1 && text[0] == 'v' && text[1] >= '0' && text[1] <= '9';
}

void keep_group(std::vector<const Resource*>& found, std::string_view group) {
  const auto has_exactly = [&](const Resource* r) { return r->group == group; };
  if (std::ranges::any_of(found, has_exactly)) {
    std::erase_if(found, std::not_fn(has_exactly));
  } else {
    std::erase_if(found, [&](const Resource* r) { return !r->group.starts_with(group); });
  }
}

/// One resource of each group, the preferred version, in order.
std::vector<const Resource*> one_a_group(const std::vector<const Resource*>& found) {
  std::vector<const Resource*> result;
  for (const Resource* resource : found) {
    const auto same = std::ranges::find(result, resource->group, &Resource::group);
    if (same == result.end()) {
      result.push_back(resource);
    } else if (!(*same)->is_preferred && resource->is_preferred) {
      *same = resource;
    }
  }
  return result;
}

bool is_istio(std::string_view group) { return group.ends_with(".istio.io"); }

/// The versions of Istio's kinds that mean the same, the best first.
constexpr std::string_view kIstioVersions[] = {"v1", "v1beta1", "v1alpha3", "v1alpha1"};

}  // namespace

bool Resource::can(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

Resource core_resource(std::string kind, std::string plural) {
  Resource resource;
  resource.version = "v1";
  resource.kind = std::move(kind);
  resource.plural = std::move(plural);
  resource.is_namespaced = true;
  return resource;
}

ResourceTable::ResourceTable(std::vector<Resource> resources, std::vector<std::string> failed)
    : resources_(std::move(resources)), failed_(std::move(failed)) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    Resource& resource = resources_[i];
    resource.is_preferred = seen.insert(resource.qualified_name()).second;
    std::vector<std::string> names{resource.plural, lower_case(resource.singular),
                                   lower_case(resource.kind)};
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::string& name : names) {
      if (!name.empty()) by_name_[std::move(name)].push_back(i);
    }
    for (const std::string& name : resource.short_names) by_short_[lower_case(name)].push_back(i);
  }
}

std::vector<const Resource*> ResourceTable::named(std::string_view lower_name) const {
  std::vector<const Resource*> found;
  if (const auto full = by_name_.find(lower_name); full != by_name_.end()) {
    for (const std::size_t i : full->second) found.push_back(&resources_[i]);
    return found;
  }
  const auto shortened = by_short_.find(lower_name);
  if (shortened == by_short_.end()) return found;
  // Only the first group's: who shortens a name does not mean a choice.
  const std::string& group = resources_[shortened->second.front()].group;
  for (const std::size_t i : shortened->second) {
    if (resources_[i].group == group) found.push_back(&resources_[i]);
  }
  return found;
}

KindMatch ResourceTable::choose(const std::vector<const Resource*>& all, std::string_view group,
                                bool has_group, std::string_view version) const {
  std::vector<const Resource*> found = all;
  if (has_group && group.empty()) {
    std::erase_if(found, [](const Resource* r) { return !r->group.empty(); });
  } else if (has_group) {
    keep_group(found, group);
  }
  if (found.empty()) return UnknownKind{};
  std::vector<const Resource*> groups = one_a_group(found);
  if (groups.front()->group.empty()) groups.resize(1);  // The core group beats all.
  // What old servers still serve there moved to other groups; nobody means it.
  if (groups.size() > 1) std::erase_if(groups, [](auto* r) { return r->group == "extensions"; });
  if (groups.size() > 1) return AmbiguousKind{std::move(groups)};
  if (version.empty()) return groups.front();
  std::erase_if(found, [&](const Resource* r) { return r->group != groups.front()->group; });
  const auto of_version = [&](std::string_view wanted) -> const Resource* {
    const auto at = std::ranges::find(found, wanted, &Resource::version);
    return at == found.end() ? nullptr : *at;
  };
  if (const Resource* exact = of_version(version)) return exact;
  if (is_istio(groups.front()->group)) {
    for (const std::string_view other : kIstioVersions) {
      if (const Resource* stands_in = of_version(other)) return stands_in;
    }
  }
  UnservedVersion unserved;
  for (const Resource* resource : found) unserved.served.push_back(resource->api_version());
  return unserved;
}

KindMatch ResourceTable::find(std::string_view name, std::string_view api_version) const {
  const std::string lower = lower_case(name);
  if (!api_version.empty()) {
    const std::size_t slash = api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    const std::vector<const Resource*> all = named(split_name(lower).name);
    KindMatch match = choose(all, is_core ? "" : api_version.substr(0, slash), true,
                             is_core ? api_version : api_version.substr(slash + 1));
    if (!std::holds_alternative<UnknownKind>(match)) return match;
    if (all.empty()) return UnknownKind{nearest(lower)};
    UnservedVersion elsewhere;
    for (const Resource* resource : all) elsewhere.served.push_back(resource->api_version());
    return elsewhere;
  }
  // A kind's own name may have a dot in it in no API, so what follows the first one qualifies it.
  const NameParts parts = split_name(lower);
  const std::vector<const Resource*> found = named(parts.name);
  if (found.empty()) return UnknownKind{nearest(lower)};
  if (parts.rest.empty()) return choose(found, "", false, "");
  const NameParts inner = split_name(parts.rest);
  if (is_version_name(inner.name)) {
    const KindMatch match = choose(found, inner.rest, true, inner.name);
    if (!std::holds_alternative<UnknownKind>(match)) return match;
  }
  KindMatch match = choose(found, parts.rest, true, "");
  if (std::holds_alternative<UnknownKind>(match)) return UnknownKind{nearest(lower)};
  return match;
}

std::vector<std::string> ResourceTable::nearest(std::string_view lower_name) const {
  std::vector<std::string_view> names;
  for (const auto* index : {&by_name_, &by_short_}) {
    for (const auto& [name, resources] : *index) names.push_back(name);
  }
  std::ranges::sort(names);
  std::vector<std::string> result;
  for (const std::string_view name : nearest_names(split_name(lower_name).name, names)) {
    result.emplace_back(name);
  }
  return result;
}

}  // namespace filecall::worker::kube
