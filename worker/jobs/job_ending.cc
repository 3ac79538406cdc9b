// SPDX-License-Identifier: MIT
#include "worker/jobs/job_ending.h"

#include <utility>

#include "worker/core/recovery_plan.h"
#include "worker/core/verdicts.h"

namespace filecall::worker {

std::optional<Outcome> earlier_outcome(Arrival& arrival) {
  if (arrival.earlier_outcome) return std::move(arrival.earlier_outcome);
  if (!arrival.earlier_start) return std::nullopt;
  const RecoveryStep step = plan_recovery(*arrival.earlier_start);
  if (step == RecoveryStep::kRunAgain) return std::nullopt;
  return Unexpected(recovery_failure(step, arrival.earlier_start->starts));
}

Failure verdict_before_start(CancelWish wish, bool never_began) {
  if (!wish.withdraws) return cancelled();
  return never_began ? given_back() : withdrawn();
}

Failure verdict_while_executing(const Job& job, CancelWish wish) {
  if (!wish.withdraws) return cancelled();
  const bool is_known = job.plan.effects == Effects::kNone || job.executor->info().tells_effects;
  // Its client would send it again, and its effects would come twice.
  return is_known ? withdrawn() : withdrawn_with_effects();
}

bool is_answer_anyway(const Job& job, const Outcome& outcome) {
  return job.executor->info().tells_effects &&
         (outcome || outcome.error().code != ErrorCode::kCancelled);
}

Failure verdict_with_report(Job& job, const Outcome& outcome) {
  Failure verdict = std::move(*job.verdict);
  if (job.execution) {
    Json partial = job.execution->partial();
    if (partial.is_object()) verdict.details.update(partial);
  }
  if (!outcome && job.executor->info().tells_effects) {
    verdict.message += ": " + outcome.error().message;
    if (outcome.error().details.is_object()) verdict.details.update(outcome.error().details);
  }
  return verdict;
}

}  // namespace filecall::worker
