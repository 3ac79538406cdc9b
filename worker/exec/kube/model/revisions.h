// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// One earlier (or the present) template of a workload: a ReplicaSet of a Deployment, a
/// ControllerRevision of a StatefulSet or DaemonSet.
struct Revision {
  std::int64_t number = 0;
  std::string name;       ///< Of the object that keeps it.
  std::size_t index = 0;  ///< In the list that it was read from.
};

/// The revisions that `owner` (a workload of this kind) controls among `items`, oldest first; what
/// has no number is left out. Only for a Deployment an annotation is the number. Pure.
std::vector<Revision> revisions_of(std::string_view kind, const Json& owner, const Json& items);

/// The number of the present one: of a Deployment what its annotation says, of a StatefulSet that
/// of status.updateRevision, else the highest one. 0: there is none.
std::int64_t present_revision(std::string_view kind, const Json& owner,
                              const std::vector<Revision>& revisions);

/// For people, newest first: [{"revision", "name", "createdAt", "images", "replicas"?,
/// "changeCause"?, "current"}]. `items`: redacted.
Json history_of(std::string_view kind, const Json& owner, const Json& items);

/// The revision that an undo goes back to. `wanted` 0: the one before the present. Failures:
/// not_found (names the revisions there are), failed_precondition (there is no earlier one). Pure.
Result<Revision> choose_revision(std::string_view kind, const Json& owner,
                                 const std::vector<Revision>& revisions, std::int64_t wanted);

/// The pod template that a revision keeps, as it stands in a workload: without the label
/// pod-template-hash and the "$patch" of a ControllerRevision. Null where there is none. Pure.
Json template_of(const Json& revision);

/// What an undo of a Deployment leaves in metadata.annotations: those of the ReplicaSet, but for
/// what the controller and kubectl apply keep for themselves, which stay those of the Deployment.
Json annotations_after_undo(const Json& deployment, const Json& replica_set);

}  // namespace filecall::worker::kube
