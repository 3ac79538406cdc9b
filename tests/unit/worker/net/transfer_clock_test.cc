// SPDX-License-Identifier: MIT
#include "worker/net/transfer_clock.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

constexpr HttpTimeouts kTimeouts{seconds(5), seconds(20), seconds(10), seconds(100)};
const MonotonicTime kBegin{};

MonotonicTime at(int seconds_later) { return kBegin + seconds(seconds_later); }

TEST(TransferClock, RunsTheConnectClockUntilConnected) {
  TransferClock clock(kTimeouts, kBegin);
  EXPECT_EQ(clock.next(), Deadline::at(at(5)));
  EXPECT_EQ(clock.expired(at(4)), std::nullopt);
  EXPECT_EQ(clock.expired(at(5)), HttpEnd::kTimeoutConnect);
  clock.on_connected(at(3));
  EXPECT_EQ(clock.expired(at(5)), std::nullopt);
}

TEST(TransferClock, WaitsForTheFirstEventFromConnectedWhateverBytesCome) {
  TransferClock clock(kTimeouts, kBegin);
  clock.on_connected(at(3));
  clock.on_bytes(at(20));
  EXPECT_EQ(clock.next(), Deadline::at(at(23)));
  EXPECT_EQ(clock.expired(at(23)), HttpEnd::kTimeoutFirstEvent);
}

TEST(TransferClock, LetsPingsExtendTheIdleClockToFourTimesOnly) {
  TransferClock clock(kTimeouts, kBegin);
  clock.on_connected(at(1));
  clock.on_progress(at(2));
  EXPECT_EQ(clock.expired(at(12)), HttpEnd::kTimeoutIdle);
  for (int second = 3; second < 42; ++second) {
    clock.on_bytes(at(second));
    EXPECT_EQ(clock.expired(at(second)), std::nullopt) << second;
  }
  EXPECT_EQ(clock.expired(at(42)), HttpEnd::kTimeoutIdle);
  clock.on_progress(at(41));
  EXPECT_EQ(clock.expired(at(42)), std::nullopt);
}

TEST(TransferClock, IsLookedAtBeforeAClockThatIsNotRunningYetCanRunOut) {
  TransferClock clock({seconds(50), seconds(20), seconds(10), seconds(100)}, kBegin);
  EXPECT_EQ(clock.next_look(at(1)), Deadline::at(at(11)));
  clock.on_connected(at(2));
  EXPECT_EQ(clock.next_look(at(11)), Deadline::at(at(21)));
  clock.on_progress(at(14));
  EXPECT_EQ(clock.next_look(at(21)), Deadline::at(at(24)));
}

TEST(TransferClock, EndsAtTheTotalWhateverComes) {
  TransferClock clock(kTimeouts, kBegin);
  clock.on_connected(at(1));
  clock.on_progress(at(99));
  EXPECT_EQ(clock.next(), Deadline::at(at(100)));
  EXPECT_EQ(clock.expired(at(100)), HttpEnd::kTimeoutTotal);
}

TEST(TransferClock, EndsSoonerOnceAllHasCome) {
  TransferClock clock(kTimeouts, kBegin);
  clock.on_connected(at(1));
  clock.on_progress(at(2));
  clock.end_within(seconds(1), at(3));
  EXPECT_EQ(clock.next(), Deadline::at(at(4)));
  clock.end_within(seconds(50), at(3));
  EXPECT_EQ(clock.next(), Deadline::at(at(4)));
}

}  // namespace
}  // namespace filecall::worker
