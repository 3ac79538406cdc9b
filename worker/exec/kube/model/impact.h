// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/object_graph.h"

namespace filecall::worker::kube {

/// Objects that an analysis needed and did not get.
struct UnreadKind {
  ObjectKind kind;
  std::string ns;      ///< Empty: in all namespaces, or the kind has none.
  std::string reason;  ///< "permission_denied: ...".
  /// What it may hide at most, as far as the one who reads knows; the table may say more.
  Severity may_hide = Severity::kNone;
};

struct ImpactOptions {
  /// How far effects are followed: 1 is what refers to the object itself.
  int depth = 3;
  std::size_t resources_max = 500;
  /// Each object once, with what its controller made counted in `with` and each reason once.
  bool is_folded = false;
  /// Of the rows as JSON text.
  std::size_t bytes_max = static_cast<std::size_t>(-1);
  /// Only what is at this path, and what was counted with it, each reference by itself: "Kind",
  /// "Kind/namespace" or "Kind/namespace/name" ("Kind/name" where there is no namespace). Empty:
  /// all that is affected.
  std::string path = {};
};

/// What happens if the object at `target` were deleted:
/// - `severity` overall (`none`: nothing that was read is affected), `complete`, `summary`,
/// - `intrinsic` {severity, effect, of?}: the worst that is lost with the object itself or with
/// what
///   goes with it, whatever refers to it; a kind alone says nothing (a workload runs or rests),
/// - `alsoDeleted`: what the garbage collector takes with it (owners, the contents of a namespace,
///   the objects of a definition),
/// - `impactedResources`: {kind, group?, name, namespace?, refType, path, severity, effect, why,
///   direction, distance, through?, possible?}, the worst first; `path` is in the object that
///   refers, and `effect` says what happens (EffectType): breaks, loses, exposed, orphaned,
/// - `unread`: kinds that could not be read, and objects that may refer to more than is looked at
///   (the first of each kind by name, `objects` says how many), with the severity that they may
///   hide; the overall severity is never below it, and `complete` is false,
/// - `notFollowed`: how many objects break at the last step that was asked for, so that what
/// depends
///   on them was not looked at; `complete` is false then,
/// - `notModelled`: kinds that were read and that the table does not know; their references are
///   guessed from what their fields look like, and such rows have `possible`. What it means that an
///   object of such a kind goes is not known: then `complete` is false,
/// - folded, a row has `reason`, the place of its why in `reasons`, `morePaths` when several fields
///   refer, `with` (kind: number) for objects that it controls and that fare no worse, and no
///   refType; where four rows or more differ in the name alone, one row has `names` (the first 20)
///   and `count` instead of name and path; of `alsoDeleted` there are 20 and all of them counted in
///   `alsoDeletedKinds`,
/// - with a path, `alsoDeleted` has what lies there, and alsoDeletedOmitted counts all others,
/// - `notes`, `depth`, and `omitted` with `omittedKinds`, `alsoDeletedOmitted` where a list was
/// cut.
///
/// Severities are those of the table, then: an optional reference is at most low; a source that is
/// scaled to nothing, suspended or finished counts one level less; so does a reference that other
/// objects still fit, while a Service that loses its last pod is critical; an object that its
/// controller creates again is at most low. An object that only loses one of several parts (a rule,
/// a listener, a backend), has an optional reference, or still fits others, `loses` where it would
/// break. Each step away from the object counts one level less, and only what breaks (high or more)
/// is followed. Pure.
Json analyze_impact(const ObjectGraph& graph, std::size_t target,
                    const std::vector<UnreadKind>& unread, const ImpactOptions& options = {});

}  // namespace filecall::worker::kube
