// SPDX-License-Identifier: MIT
#include "worker/exec/llm/outage.h"

#include <gtest/gtest.h>

namespace filecall::worker::llm {
namespace {

constexpr MonotonicTime kOutageBegin{seconds(1000)};

TEST(Outage, BeginsWithTheFirstCallThatReachesNobody) {
  Outage outage;
  EXPECT_TRUE(outage.allows(kOutageBegin));
  outage.note_failure(true, "refused", kOutageBegin);
  EXPECT_TRUE(outage.is_open());
  EXPECT_EQ(outage.reason(), "refused");
  EXPECT_FALSE(outage.allows(kOutageBegin));
  EXPECT_EQ(outage.wait(kOutageBegin), seconds(1));
}

TEST(Outage, AGatewayIsBelievedWhenItSaysSoSeveralTimesInARow) {
  Outage outage;
  for (int i = 0; i < 10; ++i) {
    outage.note_failure(false, "502", kOutageBegin);
    outage.note_failure(false, "502", kOutageBegin);
    EXPECT_FALSE(outage.is_open());
    outage.note_answer();
  }
  for (int i = 0; i < 3; ++i) outage.note_failure(false, "502", kOutageBegin + seconds(i));
  EXPECT_TRUE(outage.is_open());
  EXPECT_EQ(outage.age(kOutageBegin + seconds(2)), seconds(2)) << "since the first of them";
}

TEST(Outage, OneProbeAPauseAndTheFirstAnswerEndsIt) {
  Outage outage;
  outage.note_failure(true, "refused", kOutageBegin);
  MonotonicTime now = kOutageBegin;
  int probes = 0;
  for (; now < kOutageBegin + seconds(60); now += milliseconds(100)) {
    if (!outage.allows(now)) continue;
    ++probes;
    EXPECT_FALSE(outage.allows(now)) << "one at a time";
    outage.note_failure(true, "refused", now);
    EXPECT_LE(outage.wait(now), seconds(15));
  }
  EXPECT_GE(probes, 8);
  EXPECT_LE(probes, 25);
  EXPECT_EQ(outage.age(now), seconds(60));
  outage.note_answer();
  EXPECT_FALSE(outage.is_open());
  EXPECT_TRUE(outage.allows(now));
  EXPECT_TRUE(outage.allows(now));
  outage.note_failure(true, "refused", now);
  EXPECT_EQ(outage.age(now), Duration::zero()) << "another one";
}

TEST(Outage, IsOneWhateverTheReasonSays) {
  Outage outage;
  outage.note_failure(true, "", kOutageBegin);
  EXPECT_TRUE(outage.is_open());
  EXPECT_FALSE(outage.allows(kOutageBegin));
  EXPECT_EQ(outage.age(kOutageBegin + seconds(3)), seconds(3));
  outage.note_failure(true, "", kOutageBegin + seconds(3));
  EXPECT_EQ(outage.age(kOutageBegin + seconds(3)), seconds(3)) << "the same one";
  outage.note_answer();
  EXPECT_FALSE(outage.is_open());
}

TEST(Outage, ANewOneDoesNotWaitForTheProbeOfTheLast) {
  Outage outage;
  outage.note_failure(true, "refused", kOutageBegin);
  const MonotonicTime later = kOutageBegin + seconds(600);
  EXPECT_TRUE(outage.allows(later)) << "a probe; the next is due in 15 s";
  outage.note_answer();
  outage.note_failure(true, "refused", later);
  EXPECT_EQ(outage.wait(later), seconds(1));
}

}  // namespace
}  // namespace filecall::worker::llm
