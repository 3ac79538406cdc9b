// SPDX-License-Identifier: MIT
#include "worker/core/recovery_plan.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(RecoveryPlan, NeverStartsACommandWithEffectsTwice) {
  for (int starts = 1; starts < 5; ++starts) {
    EXPECT_EQ(plan_recovery({starts, Effects::kExternal}), RecoveryStep::kAnswerInterrupted);
  }
}

TEST(RecoveryPlan, RunsACommandWithoutEffectsOnceMore) {
  EXPECT_EQ(plan_recovery({1, Effects::kNone}), RecoveryStep::kRunAgain);
  EXPECT_EQ(plan_recovery({2, Effects::kNone}), RecoveryStep::kAnswerCrashed);
  EXPECT_EQ(plan_recovery({9, Effects::kNone}), RecoveryStep::kAnswerCrashed);
}

TEST(RecoveryPlan, AnswersAbortedAndNotRetryable) {
  for (const RecoveryStep step : {RecoveryStep::kAnswerInterrupted, RecoveryStep::kAnswerCrashed}) {
    const Failure failure = recovery_failure(step, 2);
    EXPECT_EQ(failure.code, ErrorCode::kAborted);
    EXPECT_FALSE(failure.is_retryable());
  }
  EXPECT_NE(recovery_failure(RecoveryStep::kAnswerInterrupted, 1).message.find("effects unknown"),
            std::string::npos);
  EXPECT_NE(recovery_failure(RecoveryStep::kAnswerCrashed, 2).message.find("crashed the worker"),
            std::string::npos);
}

}  // namespace
}  // namespace filecall::worker
