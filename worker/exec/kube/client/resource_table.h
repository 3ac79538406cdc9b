// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/hash.h"

namespace filecall::worker::kube {

/// One kind of object that a cluster serves, in one version.
struct Resource {
  std::string group;    ///< Empty: the core group.
  std::string version;  ///< E.g. "v1".
  std::string kind;     ///< E.g. "NetworkPolicy".
  std::string plural;   ///< E.g. "networkpolicies": what stands in URLs.
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> verbs;
  std::vector<std::string> subresources;  ///< E.g. "status", "log".
  bool is_namespaced = false;
  bool is_preferred = false;  ///< The first version of its group that has this kind.

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  /// E.g. "deployments.apps": how a choice is named.
  std::string qualified_name() const { return group.empty() ? plural : plural + "." + group; }
  bool can(std::string_view verb) const;
  bool operator==(const Resource&) const = default;
};

/// A kind of the core group's v1 that has namespaces and that every server has.
Resource core_resource(std::string kind, std::string plural);

/// Why a name is no single kind.
struct UnknownKind {
  std::vector<std::string> nearest;  ///< Names that are much like it.
};
struct AmbiguousKind {
  std::vector<const Resource*> choices;  ///< One of each group, in priority order.
};
/// The kind is served, but not in the version that was asked for.
struct UnservedVersion {
  std::vector<std::string> served;  ///< apiVersions, preferred first.
};
using KindMatch = std::variant<const Resource*, UnknownKind, AmbiguousKind, UnservedVersion>;

/// Everything a cluster serves, and how names of people find it (kubectl's RESTMapper). Immutable;
/// pure; any thread.
class ResourceTable {
 public:
  ResourceTable() = default;
  /// In order of discovery: the core group first, then the groups as served, each with its versions
  /// in order of preference, which decides is_preferred. `failed`: group-versions that the cluster
  /// lists but does not answer for; what they serve is not known.
  ResourceTable(std::vector<Resource> resources, std::vector<std::string> failed);
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  /// Finds what `name` means, in any case: a kind, plural, singular or short name, alone or
  /// followed by ".group" or ".version.group" (a group may be cut short: "deploy.app"). A full name
  /// beats a short name. The core group beats others, and others beat "extensions"; several are
  /// ambiguous, unless the name is short: then the first one has it. `api_version` (may be empty)
  /// chooses group and version; Istio's versions stand in for each other ("v1", "v1beta1",
  /// "v1alpha3").
  KindMatch find(std::string_view name, std::string_view api_version) const;

  const std::vector<Resource>& resources() const { return resources_; }
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  std::vector<const Resource*> named(std::string_view lower_name) const;
  KindMatch choose(const std::vector<const Resource*>& found, std::string_view group,
                   bool has_group, std::string_view version) const;
  std::vector<std::string> nearest(std::string_view lower_name) const;

  std::vector<Resource> resources_;
  std::vector<std::string> failed_;
  std::unordered_map<std::string, std::vector<std::size_t>, StringHash, std::equal_to<>> by_name_;
  std::unordered_map<std::string, std::vector<std::size_t>, StringHash, std::equal_to<>> by_short_;
};

}  // namespace filecall::worker::kube
