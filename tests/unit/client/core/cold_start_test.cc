// SPDX-License-Identifier: MIT
#include "client/core/cold_start.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

constexpr ColdStartRules kRules{.delay = seconds(20), .patience = seconds(5)};

TEST(ColdStart, GoesAtOnceWhenALiveWorkerIsReady) {
  EXPECT_EQ(decide_cold_start({.lock_is_held = true, .has_status = true, .is_ready = true}, kRules,
                              Duration::zero()),
            ColdStart::kGo);
}

TEST(ColdStart, WaitsForALiveWorkerForAsLongAsItTakes) {
  EXPECT_EQ(decide_cold_start({.lock_is_held = true, .has_status = true}, kRules, seconds(1000)),
            ColdStart::kWait);
}

TEST(ColdStart, StartsOneOnlyWhenNoneHoldsTheLock) {
  EXPECT_EQ(decide_cold_start({.may_start = true}, kRules, Duration::zero()),
            ColdStart::kStartWorker);
  EXPECT_EQ(decide_cold_start({.lock_is_held = true, .may_start = true}, kRules, Duration::zero()),
            ColdStart::kWait);
}

TEST(ColdStart, IgnoresWhatADeadWorkerSaidOfItself) {
  EXPECT_EQ(decide_cold_start({.has_status = true, .is_ready = true}, kRules, seconds(4)),
            ColdStart::kWait);
  EXPECT_EQ(decide_cold_start({.has_status = true, .is_ready = true}, kRules, seconds(5)),
            ColdStart::kNoWorker);
}

TEST(ColdStart, GivesAServerWithoutStatusTheFixedDelay) {
  EXPECT_EQ(decide_cold_start({}, kRules, seconds(19)), ColdStart::kWait);
  EXPECT_EQ(decide_cold_start({}, kRules, seconds(20)), ColdStart::kGo);
}

}  // namespace
}  // namespace filecall::client
