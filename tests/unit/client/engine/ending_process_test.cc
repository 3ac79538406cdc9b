// SPDX-License-Identifier: MIT
#include "client/engine/ending_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace filecall::client {
namespace {

std::string stat_of(const std::string& state, const std::string& flags) {
  return "812 (a) (b Z) " + state + " 1 812 812 0 -1 " + flags + " 0 0\n";
}

std::string status_of(const std::string& own, const std::string& shared) {
  return "Name:\tx\nSigQ:\t0/1\nSigPnd:\t" + own + "\nShdPnd:\t" + shared +
         "\nSigBlk:\t0000000000000100\n";
}

const std::string kNone = "0000000000000000";
const std::string kKill = "0000000000000100";
const std::string kOther = "0000000000004001";

TEST(EndingProcess, IsOneThatExitsOrWasKilled) {
  EXPECT_FALSE(says_ending(stat_of("S", "4194560"), status_of(kNone, kNone)));
  EXPECT_FALSE(says_ending(stat_of("R", "4194560"), status_of(kOther, kOther)));
  EXPECT_TRUE(says_ending(stat_of("S", "4194560"), status_of(kKill, kNone)));
  EXPECT_TRUE(says_ending(stat_of("S", "4194560"), status_of(kNone, kKill)));
  EXPECT_TRUE(says_ending(stat_of("R", "4194564"), status_of(kNone, kNone)));
  EXPECT_TRUE(says_ending(stat_of("Z", "4194560"), status_of(kNone, kNone)));
  EXPECT_FALSE(says_ending("", ""));
  EXPECT_FALSE(says_ending("812 (x)", ""));
}

TEST(EndingProcess, IsSeenOfRealProcesses) {
  EXPECT_FALSE(is_ending(::getpid()));
  EXPECT_FALSE(is_ending(0));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_ending(child)) << "a zombie";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace filecall::client
