// SPDX-License-Identifier: MIT
#include "worker/proc/own_children.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace filecall::worker {
namespace {

void wait_for_end(pid_t child) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

/// A process of a tool that never asks for the end of what it started; it ends when `go` is closed.
[[noreturn]] void leave_a_child(int go) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const pid_t left = ::fork();
  if (left == 0) ::_exit(0);
  wait_for_end(left);
  char byte = 0;
  while (::read(go, &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

/// In a process of its own, which adopts: 0 when nothing is left of what a tool had started.
int end_what_ends_meanwhile() {
  OwnChildren children;
  children.adopt_orphans();
  int go[2];
  if (::pipe2(go, O_CLOEXEC) != 0) return 2;
  const pid_t tool = ::fork();
  if (tool == 0) {
    ::close(go[1]);
    leave_a_child(go[0]);
  }
  // Heard after the list of children was read.
  children.expect(&children, [&] {
    if (go[1] < 0) return;
    ::close(go[1]);
    go[1] = -1;
    wait_for_end(tool);
  });
  for (int pass = 0; pass < 10 && !children.end_orphans(); ++pass) {
  }
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? 0 : 1;
}

TEST(OwnChildren, ReapsWhatOneHadStartedThatEndsWhileTheyAreCounted) {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(end_what_ends_meanwhile());
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace filecall::worker
