// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/client/resource_table.h"

namespace filecall::worker::kube {

/// What a cluster says of the kinds it serves, in its three forms, as Resources. All pure; members
/// of a wrong type are not there.

/// What is asked for first: the aggregated list in both of its versions, else the old one.
inline constexpr const char* kDiscoveryAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

/// One answer to GET /api or GET /apis.
struct DiscoveryPage {
  /// Complete, from an aggregated list.
  std::vector<Resource> resources;
  /// Group-versions that the cluster could not reach.
  std::vector<std::string> failed;
  /// From an old server: lists that must be asked for one by one, e.g. "/apis/apps/v1".
  std::vector<std::string> to_ask;
};
/// nullopt: it is none of the known forms.
std::optional<DiscoveryPage> read_discovery_page(const Json& body);

/// An APIResourceList. `path`: where it came from, e.g. "/apis/apps/v1".
std::vector<Resource> read_resource_list(const Json& body, const std::string& path);

/// For the cache on disk: a table's content as JSON and back; nullopt for anything else.
Json resources_to_json(const ResourceTable& table);
std::optional<DiscoveryPage> resources_from_json(const Json& json);

}  // namespace filecall::worker::kube
