// SPDX-License-Identifier: MIT
#include "client/core/paused_time.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(PausedTime, JudgesAnAttemptWhoseTimeIsOver) {
  struct Case {
    const char* what;
    OverdueAttempt attempt;
    TimeVerdict verdict;
  };
  using V = TimeVerdict;
  // paused, begun, spared
  const Case cases[] = {
      {"nothing is paused, the worker is busy", {false, false, false}, V::kExpires},
      {"nothing is paused, and it runs", {false, true, false}, V::kExpires},
      {"a pause may hold it back", {true, false, false}, V::kWaitsOn},
      {"a pause still holds it back", {true, false, true}, V::kWaitsOn},
      {"it runs, and another command is paused", {true, true, false}, V::kExpires},
      {"it began, and another command is still paused", {true, true, true}, V::kBeginsAgain},
      {"it began, and nothing is paused", {false, true, true}, V::kBeginsAgain},
      {"the pause has just ended", {false, false, true}, V::kBeginsAgain},
  };
  for (const Case& c : cases) EXPECT_EQ(judge_overdue(c.attempt), c.verdict) << c.what;
}

TEST(PausedTime, BeginsAgainForWhatHadNotBegunWhenThePausesWereLastAsBefore) {
  const WallTime seen = WallTime{} + seconds(1000);
  EXPECT_TRUE(begins_again(std::nullopt, seen));
  EXPECT_TRUE(begins_again(seen + milliseconds(200), seen));
  EXPECT_TRUE(begins_again(seen - milliseconds(4), seen)) << "a file's time is a tick behind";
  EXPECT_FALSE(begins_again(seen - seconds(2), seen));
}

}  // namespace
}  // namespace filecall::client
