// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "ipc/response.h"
#include "worker/engine/source.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/executor.h"
#include "worker/jobs/job.h"

namespace filecall::worker {

/// What is answered where a start did not end by itself. Pure.

/// Of an arrival whose earlier start is not repeated; nullopt: it may be started.
std::optional<Outcome> earlier_outcome(Arrival& arrival);

/// Of a cancelled request that does not execute.
Failure verdict_before_start(CancelWish wish, bool never_began);

/// Of a cancelled request that executes.
Failure verdict_while_executing(const Job& job, CancelWish wish);

/// Whether what an execution reports is the answer, though it was to end: it says what it changed.
bool is_answer_anyway(const Job& job, const Outcome& outcome);

/// Of an execution that was ended from outside and reports this.
Failure verdict_with_report(Job& job, const Outcome& outcome);

}  // namespace filecall::worker
