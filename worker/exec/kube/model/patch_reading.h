// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// What a JSON patch (RFC 6902) reads of the object that it changes. `copy` and `move` take a value
/// to a place where it may be shown, a label for example; `test` tells whether a guess is right.
/// All pure.

/// Whether one of the operations reads: copy, move, test. Operations of a wrong form read nothing.
bool reads_object(const Json& operations);

/// What is there, as it came and as answers show it.
struct LiveObject {
  const Json& unredacted;
  const Json& redacted;
  bool is_secret = false;
};

/// Why the patch may not be sent: an operation reads what answers hide, a part of that or something
/// that holds it. "": it may.
///
/// - Hidden is what differs between the two forms of `live`. Below `data` and `stringData` of a
///   Secret everything is, there or not; so is a whole object.
/// - Nothing hidden can be moved, so only indexes of lists change while a patch is applied: after
/// an
///   operation that changes them, an index stands for every item. So does what is no plain index:
///   servers take "-1" for the last one.
std::string reading_mistake(const Json& operations, const LiveObject& live);

}  // namespace filecall::worker::kube
