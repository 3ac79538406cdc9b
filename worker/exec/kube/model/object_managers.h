// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/field_owners.h"

namespace filecall::worker::kube {

/// Who writes an object besides the one who is about to, one sentence each: who, by what sign on
/// the object, what becomes of another's write, and what to change instead. Knows Helm, Argo CD,
/// Flux, a controller (ownerReferences), some others by a label or an annotation, and what
/// app.kubernetes.io/managed-by says. A sign says that it was so when it was set; nobody is asked.
/// At most kManagerWarningsMax. `object` is a redacted one; `managers` of its managedFields, empty
/// when they are not known. Pure.
std::vector<std::string> manager_warnings(const Json& object,
                                          const std::vector<FieldOwners::Fields>& managers);
inline constexpr std::size_t kManagerWarningsMax = 6;

/// The autoscalers of `items` that set the number of replicas of {"apiVersion", "kind", "name"},
/// one sentence each. `replicas`: how many there are to be; nullopt when that is not known. Pure.
std::vector<std::string> autoscaler_warnings(const Json& items, const Json& identity,
                                             std::optional<std::int64_t> replicas);

}  // namespace filecall::worker::kube
