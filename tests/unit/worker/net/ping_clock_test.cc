// SPDX-License-Identifier: MIT
#include "worker/net/ping_clock.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

MonotonicTime tick(int second) { return MonotonicTime(seconds(second)); }
constexpr PingClock::Limits kPingLimits{seconds(15), seconds(60)};

TEST(PingClock, AsksAfterSilenceAndGivesUpAfterMore) {
  PingClock clock(kPingLimits, tick(0));
  EXPECT_FALSE(clock.is_ping_due(tick(14)));
  clock.on_bytes(tick(10));
  EXPECT_FALSE(clock.is_ping_due(tick(24)));
  EXPECT_TRUE(clock.is_ping_due(tick(25)));
  EXPECT_FALSE(clock.is_dead(tick(1000))) << "it was not asked";
  clock.on_ping_sent(tick(25));
  EXPECT_FALSE(clock.is_ping_due(tick(1000))) << "one is under way";
  EXPECT_FALSE(clock.is_dead(tick(84)));
  EXPECT_TRUE(clock.is_dead(tick(85)));
  EXPECT_EQ(clock.next(), Deadline::at(tick(85)));
}

TEST(PingClock, TakesAnyBytesForASignOfLife) {
  PingClock clock(kPingLimits, tick(0));
  clock.on_ping_sent(tick(15));
  clock.on_bytes(tick(70));
  EXPECT_FALSE(clock.is_dead(tick(129)));
  EXPECT_TRUE(clock.is_dead(tick(130)));
  clock.on_bytes(tick(75));
  clock.on_pong();
  EXPECT_TRUE(clock.is_ping_due(tick(90)));
  clock.on_pong();  // Nobody asked.
  EXPECT_EQ(clock.next(), Deadline::at(tick(90)));
}

TEST(PingClock, WaitsForAPeerThatMayNotHaveReadAMessage) {
  PingClock clock(kPingLimits, tick(0));
  clock.on_ping_sent(tick(15));
  clock.on_message_sent();
  EXPECT_FALSE(clock.is_dead(tick(10'000)));
  EXPECT_TRUE(clock.next().is_never());
  clock.on_bytes(tick(20));
  clock.on_pong();  // To the ping that stands before the message.
  EXPECT_TRUE(clock.is_ping_due(tick(35)));
  clock.on_ping_sent(tick(35));
  EXPECT_FALSE(clock.is_dead(tick(10'000)));
  clock.on_bytes(tick(500));
  clock.on_pong();
  clock.on_ping_sent(tick(515));
  EXPECT_TRUE(clock.is_dead(tick(575)));
}

}  // namespace
}  // namespace filecall::worker
