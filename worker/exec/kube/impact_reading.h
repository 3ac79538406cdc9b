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
};

/// What must be listed to tell what breaks without an object of this kind: the kinds that refer to
/// it, those that refer to these, and so on for `depth` steps; what it affects itself; what its
/// owner references may hold. Kinds whose references never leave a namespace are listed in that of
/// the object alone. Kinds that the cluster does not serve, or does not list, are left out: they
/// have no objects. Pure.
std::vector<ImpactList> lists_for(const ReferenceTable& table, const ResourceTable& served,
                                  const ObjectKind& target, std::string_view name,
                                  std::string_view name_space, int depth);

}  // namespace filecall::worker::kube
