// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/client/resource_table.h"
#include "worker/exec/kube/model/reference_table.h"

namespace filecall::worker::kube {

/// One list that a tree of owners and users needs.
struct TreeList {
  const Resource* resource = nullptr;
  std::string name_space;        ///< Empty: all namespaces, or the kind has none.
  bool is_metadata_only = true;  ///< It can be owned, and refers to nothing that matters here.
};

struct TreeLists {
  std::vector<TreeList> lists;
  /// Kinds that the table does not know, beyond the number of them that is read.
  std::vector<ObjectKind> left_out;
};

/// What must be listed to tell what an object owns (every kind that can be deleted, in its
/// namespace; everywhere for an object without one) and what refers to it or to a pod of it (the
/// kinds of lists_for() for one step, and those whose references break nothing). Pure.
TreeLists tree_lists(const ReferenceTable& table, const ResourceTable& served,
                     const ObjectKind& target, std::string_view name, std::string_view name_space);

}  // namespace filecall::worker::kube
