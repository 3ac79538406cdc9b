// SPDX-License-Identifier: MIT
#include "worker/proc/guard_server.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "child_fixture.h"

namespace filecall::worker {
namespace {

class GuardServerTest : public ChildFixture {
 protected:
  /// Those below, one that tells of the host's mounts and one to the spare guard.
  static constexpr std::size_t kOwnDescriptors = guard::kGuardDescriptors + 2;

  static std::size_t count_descriptors(pid_t pid) {
    const std::filesystem::directory_iterator fds("/proc/" + std::to_string(pid) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
  }
  static void expect_end_of(pid_t pid) {
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  }
};

TEST_F(GuardServerTest, OneServerStartsAllGuards) {
  run(spec({"/bin/true"}));
  const pid_t first = server_->pid();
  run(spec({"/bin/true"}));
  EXPECT_GT(first, 0);
  EXPECT_EQ(server_->pid(), first);
}

TEST_F(GuardServerTest, GuardsAreChildrenOfThisProcess) {
  run(shell("ps -o ppid= -p $PPID"));
  EXPECT_EQ(std::stoi(out()), ::getpid());
}

TEST_F(GuardServerTest, WhatItStartedRunsOnWhenItIsKilled) {
  start(shell("echo $$ >tool; while [ ! -e go ]; do sleep 0.01; done; echo end; exit 3"));
  pid_in("tool");
  const pid_t killed = server_->pid();
  ::kill(killed, SIGKILL);
  expect_end_of(killed);
  std::optional<ChildResult> next;
  auto other = Child::start(&loop_, server_, spec({"/bin/true"}),
                            [&](const ChildResult& result) { next = result; });
  ASSERT_TRUE(other.has_value()) << other.error().message;
  wait_until([&] { return next.has_value(); }, "a new server starts the next");
  EXPECT_EQ(next->exit_code, 0);
  EXPECT_NE(server_->pid(), killed);
  EXPECT_FALSE(result_.has_value());
  std::ofstream(folder_ + "/go") << "";
  wait_until([this] { return result_.has_value(); }, "the first has ended");
  EXPECT_EQ(result_->exit_code, 3);
  EXPECT_EQ(out(), "end\n");
}

TEST_F(GuardServerTest, WhatItStartedIsStillCancelledWhenItIsKilled) {
  start(shell("echo $$ >tool; sleep 300; :"));
  const pid_t tool = pid_in("tool");
  server_->end();
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->signal, SIGTERM);
  EXPECT_FALSE(is_alive(tool));
}

TEST_F(GuardServerTest, AServerThatDoesNotAnswerIsReplaced) {
  server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD, milliseconds(50));
  run(spec({"/bin/true"}));
  const pid_t stopped = server_->pid();
  ::kill(-stopped, SIGSTOP);  // With the guard that it has made ahead.
  const ChildResult lost = run(shell("echo ran >ran"));
  ASSERT_TRUE(lost.error.has_value());
  EXPECT_EQ(lost.error->code, ErrorCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
  EXPECT_FALSE(is_alive(stopped));
  EXPECT_EQ(run(spec({"/bin/true"})).exit_code, 0);
}

TEST_F(GuardServerTest, ACancelledChildOfAServerThatDoesNotAnswerEndsToo) {
  server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD, milliseconds(50));
  run(spec({"/bin/true"}));
  result_.reset();
  ::kill(-server_->pid(), SIGSTOP);
  start(shell("sleep 300; echo ran >ran"));
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_TRUE(result_->error.has_value() || result_->was_cancelled);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
}

TEST_F(GuardServerTest, ACancelledChildWaitsForNoPatienceOfItsServer) {
  server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD, std::chrono::hours(1));
  run(spec({"/bin/true"}));
  const pid_t stopped = server_->pid();
  for (const bool with_server : {true, false}) {
    result_.reset();
    // Both, or only the guard that it has made ahead.
    ::kill(-stopped, SIGSTOP);
    if (!with_server) ::kill(stopped, SIGCONT);
    start(shell("sleep 300; echo ran >ran"));
    child_->cancel();
    wait_until([this] { return result_.has_value(); }, "the child has ended");
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
  }
  EXPECT_EQ(run(spec({"/bin/true"})).exit_code, 0);
}

TEST_F(GuardServerTest, AServerThatEndsAtOnceIsAnError) {
  server_ = std::make_shared<GuardServer>("/bin/false");
  auto started = Child::start(&loop_, server_, spec({"/bin/true"}),
                              [this](const ChildResult& result) { result_ = result; });
  if (started) {
    wait_until([this] { return result_.has_value(); }, "the loss is noticed");
    ASSERT_TRUE(result_->error.has_value());
    EXPECT_EQ(result_->error->code, ErrorCode::kUnavailable);
  } else {
    EXPECT_EQ(started.error().code, ErrorCode::kFailedPrecondition) << started.error().message;
  }
}

TEST_F(GuardServerTest, HoldsNothingOfWhatRuns) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser sees the descriptors of a server";
  run(spec({"/bin/true"}));
  start(shell("echo $$ >tool; sleep 300; :"));
  pid_in("tool");
  wait_until([this] { return count_descriptors(server_->pid()) == kOwnDescriptors; },
             "it has what it had before");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
}

TEST_F(GuardServerTest, NoDescriptorOfThisProcessReachesIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser sees the descriptors of a server";
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // Not close-on-exec.
  run(spec({"/bin/true"}));
  wait_until([this] { return count_descriptors(server_->pid()) == kOwnDescriptors; },
             "it has its own");
}

TEST_F(GuardServerTest, IsASessionOfItsOwn) {
  run(spec({"/bin/true"}));
  EXPECT_EQ(::getsid(server_->pid()), server_->pid());
}

TEST_F(GuardServerTest, ReapsWhatHasReportedWhenItEnds) {
  run(spec({"/bin/true"}));
  const pid_t guard = child_->guard_pid();
  child_.reset();
  server_.reset();
  EXPECT_NE(::kill(guard, 0), 0) << "no turn of the loop is needed for it";
}

TEST_F(GuardServerTest, EndsWithTheLastWhoUsesIt) {
  run(spec({"/bin/true"}));
  const pid_t server = server_->pid();
  child_.reset();
  server_.reset();
  uv_run(&loop_, UV_RUN_NOWAIT);
  EXPECT_FALSE(is_alive(server));
}

}  // namespace
}  // namespace filecall::worker
