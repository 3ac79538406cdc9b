// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "worker/exec/kube/client/resource_table.h"

namespace filecall::worker::kube {

/// Where an object lives on its server. All pure. What comes from a request is checked before it
/// gets into an URL: a name cannot leave its segment, a namespace is a DNS label.

/// Why this cannot be an object's name, a namespace; empty: it can.
std::string_view mistake_of_name(std::string_view name);
std::string_view mistake_of_namespace(std::string_view name);

/// "/api/v1/namespaces/NS/pods", or without the namespace when that is empty (all namespaces, or a
/// kind that has none).
std::string collection_path(const Resource& resource, std::string_view name_space);
/// One object, perhaps its subresource ("log").
std::string object_path(const Resource& resource, std::string_view name_space,
                        std::string_view name, std::string_view subresource = "");

/// The namespace in such a path, perhaps with a query; empty: there is none.
std::string_view namespace_in(std::string_view path);

/// The path of the collection in which such a path looks for `name`, without a query; empty: it
/// does not.
std::string collection_of(std::string_view path, std::string_view name);

/// Whether what stands there describes the server and no object: /version, /api, /apis, the lists
/// of kinds of a group and version, and /openapi/. `path` may have a query.
bool is_discovery_path(std::string_view path);

/// Everything but letters, digits and "-._~" as %XX.
std::string percent_encode(std::string_view text);
/// Adds "?a=b&c=d"; parameters with an empty value are left out.
std::string with_query(std::string path,
                       const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace filecall::worker::kube
