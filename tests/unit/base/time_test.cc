// SPDX-License-Identifier: MIT
#include "base/time.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(Rfc3339, WritesUtcWithMilliseconds) {
  EXPECT_EQ(format_rfc3339(WallTime(milliseconds(1'795'213'887'104))), "2026-11-20T22:31:27.104Z");
  EXPECT_EQ(format_rfc3339(WallTime{}), "1970-01-01T00:00:00.000Z");
}

TEST(Rfc3339, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, 1LL, 951'782'400'000LL, 1'795'213'887'104LL}) {
    const WallTime time{milliseconds(ms)};
    EXPECT_EQ(parse_rfc3339(format_rfc3339(time)), time) << ms;
  }
}

TEST(Rfc3339, ReadsOffsetsAndFractions) {
  const auto expected = parse_rfc3339("2026-11-20T22:31:27Z");
  ASSERT_TRUE(expected);
  EXPECT_EQ(parse_rfc3339("2026-11-21T00:31:27+02:00"), expected);
  EXPECT_EQ(parse_rfc3339("2026-11-20T20:01:27-02:30"), expected);
  EXPECT_EQ(parse_rfc3339("2026-11-20T22:31:27.5Z"), *expected + milliseconds(500));
}

TEST(Rfc3339, RefusesMalformedText) {
  for (const char* text : {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
                           "2026-11-20T22:31:27", "2026-11-20T25:00:00Z", "2026-11-20T22:31:27.Z",
                           "2026-11-20T22:31:27+2:00", "2026x11-20T22:31:27Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Rfc3339, RefusesWhatNoClockOfOursCanHold) {
  for (const char* text : {"0000-01-01T00:00:00Z", "1013-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
                           "2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
  const auto first = parse_rfc3339("1970-01-01T00:00:00+23:59");
  const auto last = parse_rfc3339("2261-12-31T23:59:59.999-23:59");
  ASSERT_TRUE(first && last);
  EXPECT_GT(*last - *first, Duration::zero()) << "a difference has room";
}

TEST(Deadline, IsNeverReachedByDefault) {
  EXPECT_FALSE(Deadline().is_reached(MonotonicTime::max() - Duration(1)));
  EXPECT_EQ(Deadline().time_left(MonotonicTime{}), Duration::max());
}

TEST(Deadline, SaturatesInsteadOfOverflowing) {
  const MonotonicTime now(seconds(100));
  EXPECT_TRUE(Deadline::after(now, Duration::max()).is_never());
}

TEST(Deadline, IsReachedAtItsInstant) {
  const MonotonicTime now(seconds(100));
  const Deadline deadline = Deadline::after(now, seconds(1));
  EXPECT_FALSE(deadline.is_reached(now));
  EXPECT_EQ(deadline.time_left(now), seconds(1));
  EXPECT_TRUE(deadline.is_reached(now + seconds(1)));
  EXPECT_EQ(deadline.time_left(now + seconds(2)), Duration::zero());
}

}  // namespace
}  // namespace filecall
