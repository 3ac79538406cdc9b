// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall::worker::kube {

/// Whether the texts of a member are structure: names of objects, containers and variables, kinds,
/// namespaces, images, hosts, keys, what selects. Other objects refer to it and show it: it is no
/// place of a secret, and must stay as it is for references to be seen. Pure.
bool is_structure_member(std::string_view key);

/// Whether an annotation names something: a Secret ("auth-secret", "auth-tls-secret"), a class, an
/// issuer, a middleware. Pure.
bool is_structure_annotation(std::string_view key);

/// What selectors, dashboards and charts tell the parts of an application by.
bool is_common_label(std::string_view key);

}  // namespace filecall::worker::kube
