// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/client/resource_table.h"
#include "worker/exec/kube/model/impact.h"

namespace filecall::worker::kube {

/// One list that an analysis needs.
struct ImpactList {
  const Resource* resource = nullptr;
  std::string name_space;  ///< Empty: all namespaces, or the kind has none.
  /// The worst that may stay unseen when it cannot be read, as far as the table tells.
  Severity may_hide = Severity::kNone;
};

struct ImpactLists {
  std::vector<ImpactList> lists;
  /// Kinds that the table does not know, beyond the number of them that is read.
  std::vector<ObjectKind> left_out;
};

/// Whether a kind has objects that belong to something: they can be listed and deleted, and are not
/// served under another group already (ingresses also in the old group "extensions"). Events are no
/// part of what is there. Pure.
bool has_contents(const ResourceTable& served, const Resource& resource);

/// What must be listed to tell what breaks without an object of this kind. The table is followed as
/// the analysis does it: from what goes (the object, what controllers made of its template, what a
/// definition or a namespace holds) to the kinds that refer to it or lose something with it, from
/// those of them that may break (high or more) to the kinds that depend on them, and so on for
/// `depth` steps; with them what else their references may fit. Kinds that are only reached beside
/// the object are listed in its namespace alone. Secrets are never read merely to see whether
/// another one would do. Kinds that the table does not know are listed everywhere, 200 of them: by
/// their looks they may refer to anything. Kinds that the cluster does not serve, or does not list,
/// are left out: they have no objects. What an object owns beside the kinds of controllers is seen
/// where these kinds are listed anyway. Pure.
ImpactLists lists_for(const ReferenceTable& table, const ResourceTable& served,
                      const ObjectKind& target, std::string_view name, std::string_view name_space,
                      int depth);

}  // namespace filecall::worker::kube
