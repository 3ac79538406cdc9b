// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// What of the object that it names a reference needs.

/// Adds to rows of references_json() of `object`:
/// - `keys` to a ConfigMap's or Secret's that is a volume: those that `items` names, else those
/// that
///   containers mount alone (subPath),
/// - `lostFiles`: what containers mount alone, and `items` makes no file of,
/// - `port` to a Service's: the name or the number that stands beside the reference.
/// Pure.
void tell_needed_parts(const Json& object, Json& rows);

/// Of the keys of a row (`key`, `keys`) those that a ConfigMap or a Secret does not have. Pure.
std::vector<std::string> missing_keys(const Json& row, const Json& target);

/// Whether a Service has the port of the row; null where its ports do not tell (it is another name
/// of a host). Pure.
Json has_port(const Json& row, const Json& service);

}  // namespace filecall::worker::kube
