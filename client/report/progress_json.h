// SPDX-License-Identifier: MIT
#pragma once

#include "client/report/progress_line.h"
#include "ipc/json.h"

namespace filecall::client {

/// A moment of a run for programs: what progress_text() says, unrounded. Pure.
Json progress_json(const ProgressView& view);

}  // namespace filecall::client
