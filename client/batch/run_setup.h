// SPDX-License-Identifier: MIT
#pragma once

#include "client/batch/request_maker.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a plan asks of every row, for a run's record: `prompts` (name, digest, request, text),
/// `models`, `provider`, `params`, `variables`, `repeat`, `seed`, `types`; only what there is.
/// Pure.
Json run_setup(const BatchPlan& plan);

}  // namespace filecall::client
