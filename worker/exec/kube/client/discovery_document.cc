// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/discovery_document.h"

#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

std::vector<std::string> text_list(const Json& object, const char* name) {
  std::vector<std::string> result;
  const Json& list = member(object, name);
  if (!list.is_array()) return result;
  for (const Json& item : list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

const Json& list_member(const Json& object, const char* name) {
  static const Json kEmpty = Json::array();
  const Json& list = member(object, name);
  return list.is_array() ? list : kEmpty;
}

Resource read_aggregated(const Json& item, const std::string& group, const std::string& version) {
  Resource resource;
  resource.group = group;
  resource.version = version;
  resource.kind = text_member(member(item, "responseKind"), "kind");
  resource.plural = text_member(item, "resource");
  resource.singular = text_member(item, "singularResource");
  resource.is_namespaced = text_member(item, "scope") == "Namespaced";
  resource.verbs = text_list(item, "verbs");
  resource.short_names = text_list(item, "shortNames");
  for (const Json& inner : list_member(item, "subresources")) {
    resource.subresources.push_back(text_member(inner, "subresource"));
  }
  return resource;
}

DiscoveryPage read_aggregated_list(const Json& body) {
  DiscoveryPage page;
  for (const Json& item : list_member(body, "items")) {
    const std::string group = text_member(member(item, "metadata"), "name");
    for (const Json& served : list_member(item, "versions")) {
      const std::string version = text_member(served, "version");
      if (text_member(served, "freshness") == "Stale") {
        page.failed.push_back(group.empty() ? version : group + "/" + version);
      }
      // A stale list is what the server remembers, which is better than nothing.
      for (const Json& inner : list_member(served, "resources")) {
        Resource resource = read_aggregated(inner, group, version);
        if (!resource.kind.empty() && !resource.plural.empty()) {
          page.resources.push_back(std::move(resource));
        }
      }
    }
  }
  return page;
}

DiscoveryPage read_group_list(const Json& body) {
  DiscoveryPage page;
  for (const Json& group : list_member(body, "groups")) {
    const std::string preferred = text_member(member(group, "preferredVersion"), "groupVersion");
    if (!preferred.empty()) page.to_ask.push_back("/apis/" + preferred);
    for (const Json& version : list_member(group, "versions")) {
      const std::string name = text_member(version, "groupVersion");
      if (!name.empty() && name != preferred) page.to_ask.push_back("/apis/" + name);
    }
  }
  return page;
}

Json resource_to_json(const Resource& resource) {
  return Json{{"group", resource.group},
              {"version", resource.version},
              {"kind", resource.kind},
              {"plural", resource.plural},
              {"singular", resource.singular},
              {"short_names", resource.short_names},
              {"verbs", resource.verbs},
              {"subresources", resource.subresources},
              {"namespaced", resource.is_namespaced}};
}

}  // namespace

std::optional<DiscoveryPage> read_discovery_page(const Json& body) {
  const std::string kind = text_member(body, "kind");
  if (kind == "APIGroupDiscoveryList") return read_aggregated_list(body);
  if (kind == "APIGroupList") return read_group_list(body);
  if (kind != "APIVersions") return std::nullopt;
  DiscoveryPage page;
  for (const std::string& version : text_list(body, "versions")) {
    page.to_ask.push_back("/api/" + version);
  }
  return page;
}

std::vector<Resource> read_resource_list(const Json& body, const std::string& path) {
  std::vector<Resource> result;
  const bool is_core = path.starts_with("/api/");
  const std::string name = path.substr(is_core ? 5 : 6);
  const std::size_t slash = is_core ? std::string::npos : name.find('/');
  for (const Json& item : list_member(body, "resources")) {
    const std::string plural = text_member(item, "name");
    const std::size_t sub = plural.find('/');
    if (sub != std::string::npos) {
      // They follow their resource in what servers send; one that does not is of no use to us.
      for (Resource& resource : result) {
        if (resource.plural == plural.substr(0, sub)) {
          resource.subresources.push_back(plural.substr(sub + 1));
        }
      }
      continue;
    }
    Resource resource;
    resource.group = is_core ? "" : name.substr(0, slash);
    resource.version = is_core ? name : name.substr(slash + 1);
    resource.kind = text_member(item, "kind");
    resource.plural = plural;
    resource.singular = text_member(item, "singularName");
    resource.is_namespaced = member(item, "namespaced") == Json(true);
    resource.verbs = text_list(item, "verbs");
    resource.short_names = text_list(item, "shortNames");
    if (!resource.kind.empty() && !plural.empty()) result.push_back(std::move(resource));
  }
  return result;
}

Json resources_to_json(const ResourceTable& table) {
  Json list = Json::array();
  for (const Resource& resource : table.resources()) list.push_back(resource_to_json(resource));
  return Json{{"resources", std::move(list)}, {"failed", table.failed()}};
}

std::optional<DiscoveryPage> resources_from_json(const Json& json) {
  if (!member(json, "resources").is_array()) return std::nullopt;
  DiscoveryPage page;
  for (const Json& item : list_member(json, "resources")) {
    Resource resource;
    resource.group = text_member(item, "group");
    resource.version = text_member(item, "version");
    resource.kind = text_member(item, "kind");
    resource.plural = text_member(item, "plural");
    resource.singular = text_member(item, "singular");
    resource.short_names = text_list(item, "short_names");
    resource.verbs = text_list(item, "verbs");
    resource.subresources = text_list(item, "subresources");
    resource.is_namespaced = member(item, "namespaced") == Json(true);
    page.resources.push_back(std::move(resource));
  }
  page.failed = text_list(json, "failed");
  return page;
}

}  // namespace filecall::worker::kube
