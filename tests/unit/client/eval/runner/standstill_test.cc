// SPDX-License-Identifier: MIT
#include "client/eval/runner/standstill.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

class StandstillTest : public testing::Test {
 protected:
  /// A pass that begins `at` seconds after the first one.
  bool look(int at, std::int64_t unfinished, std::int64_t ended_count = 0, bool is_driven = false,
            int takes = 0) {
    const MonotonicTime begun = MonotonicTime() + seconds(at);
    return standstill_.look({.begun = begun,
                             .ended = begun + seconds(takes),
                             .is_driven = is_driven,
                             .unfinished = unfinished,
                             .ended_count = ended_count});
  }

  Standstill standstill_;
};

TEST_F(StandstillTest, IsReportedOnceAfterATimeInWhichNothingChanged) {
  for (int at = 0; at < 10; ++at) EXPECT_FALSE(look(at, 3)) << at;
  EXPECT_TRUE(look(10, 3));
  for (int at = 11; at < 60; ++at) EXPECT_FALSE(look(at, 3)) << at;
}

TEST_F(StandstillTest, IsNoneWhileAClientDrives) {
  for (int at = 0; at < 60; ++at) EXPECT_FALSE(look(at, 3, 0, true)) << at;
}

TEST_F(StandstillTest, IsNoneWhileRequestsEnd) {
  // A script drops files and a worker answers them: no client drives, and all goes on.
  for (int at = 0; at < 60; ++at) EXPECT_FALSE(look(at, 60 - at, at)) << at;
  for (int at = 60; at < 120; ++at) EXPECT_FALSE(look(at, 3, at)) << at;
}

TEST_F(StandstillTest, BeginsAfterTheLastClient) {
  for (int at = 0; at < 10; ++at) EXPECT_FALSE(look(at, 3)) << at;
  EXPECT_FALSE(look(10, 3, 0, true));
  for (int at = 11; at < 21; ++at) EXPECT_FALSE(look(at, 3)) << at;
  EXPECT_TRUE(look(21, 3));
}

TEST_F(StandstillTest, IsReportedAgainAfterAnotherClient) {
  for (int at = 0; at < 11; ++at) (void)look(at, 3);
  EXPECT_FALSE(look(11, 3, 0, true));
  for (int at = 12; at < 22; ++at) EXPECT_FALSE(look(at, 3)) << at;
  EXPECT_TRUE(look(22, 3));
}

TEST_F(StandstillTest, IsNotSeenByAPassThatTookLong) {
  EXPECT_FALSE(look(0, 3));
  EXPECT_FALSE(look(1, 3, 0, false, 60));
  EXPECT_FALSE(look(62, 3));
  EXPECT_TRUE(look(71, 3));
}

}  // namespace
}  // namespace filecall::client
