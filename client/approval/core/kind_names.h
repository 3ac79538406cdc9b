// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Names of the kinds of a cluster, as `kubectl api-resources` has them: any case, singular, plural
/// or short, with or without the group behind a dot. Pure; any thread.

/// The singular in small letters, without the group: "deployment" of "Deploy" and of
/// "deployments.apps". Of a kind that is not Kubernetes' own it is a guess from the letters.
std::string plain_kind(std::string_view kind);
/// Whether the name is one of Kubernetes' own kinds. What another name stands for, such as the
/// short name of a custom resource, only the cluster knows.
bool is_known_kind(std::string_view kind);
/// Its names: namespace, namespaces, ns.
std::vector<std::string> kind_spellings(std::string_view kind);

}  // namespace filecall::client
