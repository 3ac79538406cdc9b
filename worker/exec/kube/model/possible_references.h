// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {

/// What an object of a kind that the table does not know may refer to, by the looks of its fields:
/// - {kind, name} with apiVersion, apiGroup or group and namespace, wherever it stands,
/// - an object with `name`, or a text, under a key that ends in Ref or Reference, or in
///   the name of a kind (`secretKeyRef`, `storeRef`, `configMap`, `existingSecret`),
/// - a text under a key that ends in Name, before that the name of a kind (`dbSecretName`).
///
/// What the controller of the kind does with them is not known. Metadata and status are not looked
/// at. At most 200 of one object, at most 60 members deep: `is_cut` says that there is more. Pure.
struct PossibleReferences {
  std::vector<Reference> found;
  bool is_cut = false;
};
PossibleReferences possible_references(const ReferenceTable& table, const ObjectKind& kind,
                                       const Json& object);

/// Whether what the field of a possible reference is called (Reference::hint) may mean this kind.
bool may_mean(std::string_view hint, std::string_view kind);

}  // namespace filecall::worker::kube
