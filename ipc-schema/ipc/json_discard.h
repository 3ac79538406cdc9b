// SPDX-License-Identifier: MIT
#pragma once

#include "ipc/json.h"

namespace filecall {

/// Destroys a value whose depth is bounded, as that of everything the strict parser read is
/// (limits::kDepthMax): by recursion, from the innermost containers out. The library bounds no
/// depth and moves every member of every container to a stack of its own before it destroys it,
/// which costs as much again as the destruction. The value is null afterwards.
void discard(Json& value);

}  // namespace filecall
