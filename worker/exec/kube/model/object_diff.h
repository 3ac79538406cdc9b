// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// How much a list of changes may hold.
struct DiffLimits {
  std::size_t changes_max = 200;
  std::size_t value_bytes_max = 2048;  ///< Of one value, shortened beyond.
};

/// What is different between two versions of an object, as a bounded list:
/// {"changes": [{"path", "op", "before"?, "after"?, "item"?}], "omitted"?, "omittedRemovals"?}.
/// A changed text of several lines has "diff" (hunks as of `diff -u`), "lines" {"removed", "added"}
/// and, where not all of it is shown, "hunksOmitted", instead of "before" and "after"; of a long
/// text of one line these show what surrounds the change.
///
/// - `path` is a JSON pointer into `after`, for what is removed into `before`; `op` is add, remove
/// or
///   replace. A whole new or lost subtree is one change.
/// - Items of lists are matched by what Kubernetes merges them by, where that is known (containers
///   by name, ports by number and protocol, conditions by type, ...): then `item` says which one,
///   and a mere change of order is none. Other lists are compared item by item between what both
///   begin and end with.
/// - What only the server keeps (managedFields, resourceVersion, generation, uid,
/// creationTimestamp)
///   is left out.
///
/// Takes redacted objects: hidden values differ where their digests do. Null stands for an object
/// that is not there. Pure.
Json diff_objects(const Json& before, const Json& after, const DiffLimits& limits = {});

}  // namespace filecall::worker::kube
