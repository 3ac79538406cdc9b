// SPDX-License-Identifier: MIT
// A writer that is killed while it appends: what it was answered stays, in order, and whatever it
// left behind stops neither readers nor the next writer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/random.h"
#include "thread_place.h"

namespace filecall::client {
namespace {

class ThreadCrashTest : public ThreadPlace {
 protected:
  /// Appends until it is killed, and writes each number that it was answered.
  [[noreturn]] void write_until_killed(int acknowledged) {
    auto log = open_log();
    for (std::uint64_t i = 0;; ++i) {
      const std::string text(static_cast<std::size_t>(Random(i).below(60'000)), 'x');
      const auto seq = log->append("note", "run-a", {{"text", text}}, at(2));
      if (!seq || ::write(acknowledged, &*seq, sizeof *seq) != sizeof *seq) ::_exit(1);
    }
  }
};

TEST_F(ThreadCrashTest, LosesNothingThatWasAnswered) {
  Random random(11);
  std::int64_t answered = 0;
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) write_until_killed(ends[1]);
    ::close(ends[1]);
    const auto wanted = 1 + random.below(20);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      ASSERT_EQ(::read(ends[0], &answered, sizeof answered), static_cast<ssize_t>(sizeof answered));
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    std::int64_t more = 0;
    while (::read(ends[0], &more, sizeof more) == sizeof more) answered = more;
    ::close(ends[0]);
    ThreadCheck check;
    const auto records = all_records("t", &check);
    EXPECT_GE(records.back().seq, answered) << round;
    EXPECT_EQ(check.bad_count, 0) << round;
    const auto next = open_log()->append("note", "", {{"text", "next"}}, at(3));
    ASSERT_TRUE(next);
    const auto after = all_records("t", &check);
    EXPECT_EQ(static_cast<std::int64_t>(after.size()), *next) << round;
    EXPECT_EQ(check.torn_bytes, 0U) << round;
  }
}

}  // namespace
}  // namespace filecall::client
