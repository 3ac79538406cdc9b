// SPDX-License-Identifier: MIT
#include <sys/wait.h>

#include <filesystem>
#include <optional>

#include "child_fixture.h"

namespace filecall::worker {
namespace {

/// Each proves that nothing is left.
class ChildEndTest : public ChildOfEitherGuard {
 protected:
  void expect_gone(std::initializer_list<pid_t> pids) {
    for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid)) << pid;
  }
};

constexpr const char* kFamily =
    "sleep 300 & echo $! >child\n"
    "setsid sh -c 'echo $$ >grandchild; setsid sh -c \"echo \\$\\$ >great; sleep 300; :\" & sleep "
    "300; :' &\n"
    "echo $$ >tool\n";

TEST_P(ChildEndTest, CancelEndsTheWholeFamily) {
  start(shell(std::string(kFamily) + "sleep 300; :"));
  const pid_t pids[] = {pid_in("tool"), pid_in("child"), pid_in("grandchild"), pid_in("great")};
  child_->cancel();
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_TRUE(result_->was_cancelled);
  EXPECT_FALSE(result_->has_survivors);
  EXPECT_EQ(result_->signal, SIGTERM);
  expect_gone({pids[0], pids[1], pids[2], pids[3]});
}

void wait_for_exit(pid_t pid) {
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
}

TEST_P(ChildEndTest, AStalledLoopLosesNeitherReportNorOutput) {
  // The child ends while the loop stands still, for longer than a held pipe is waited for: its
  // exit, its report and its output are seen in one turn.
  start(shell("while [ ! -e go ]; do sleep 0.01; done; echo said"));
  wait_until([this] { return child_->guard_pid() > 0; }, "the guard runs");
  std::function<void()> stall = [this] {
    std::ofstream(folder_ + "/go") << "now";
    wait_for_exit(child_->guard_pid());
    const MonotonicTime busy_until = monotonic_now() + milliseconds(1100);
    while (monotonic_now() < busy_until) {
    }
  };
  uv_async_t async;
  async.data = &stall;
  uv_async_init(&loop_, &async,
                [](uv_async_t* handle) { (*static_cast<std::function<void()>*>(handle->data))(); });
  uv_async_send(&async);
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->exit_code, 0);
  EXPECT_FALSE(result_->error);
  EXPECT_EQ(out(), "said\n");
  uv_close(reinterpret_cast<uv_handle_t*>(&async), nullptr);
  uv_run(&loop_, UV_RUN_NOWAIT);
}

TEST_P(ChildEndTest, TheToolsEndEndsTheWholeFamily) {
  start(shell(std::string(kFamily) +
              "while [ ! -s great ] || [ ! -s grandchild ]; do sleep 0.01; done; exit 5"));
  const pid_t pids[] = {pid_in("tool"), pid_in("child"), pid_in("grandchild"), pid_in("great")};
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->exit_code, 5);
  EXPECT_FALSE(result_->was_cancelled);
  expect_gone({pids[0], pids[1], pids[2], pids[3]});
}

TEST_P(ChildEndTest, WhoIgnoresTermIsKilledAfterTheDelay) {
  ChildSpec child = shell("trap '' TERM; echo $$ >tool; while :; do sleep 300; done");
  child.kill_delay = milliseconds(100);
  start(std::move(child));
  const pid_t tool = pid_in("tool");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->signal, SIGKILL);
  expect_gone({tool});
}

TEST_P(ChildEndTest, WhoHandlesTermMayCleanUp) {
  ChildSpec child =
      shell("trap 'echo cleaned; exit 9' TERM; echo $$ >tool; while :; do sleep 0.01; done");
  child.kill_delay = seconds(20);
  start(std::move(child));
  pid_in("tool");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->exit_code, 9);
  EXPECT_EQ(out(), "cleaned\n");
}

TEST_P(ChildEndTest, AStoppedToolIsEnded) {
  ChildSpec child = shell("echo $$ >tool; kill -STOP $$; sleep 300; :");
  child.kill_delay = seconds(20);
  start(std::move(child));
  const pid_t tool = pid_in("tool");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  expect_gone({tool});
}

TEST_P(ChildEndTest, AToolThatStopsItsGuardIsEnded) {
  start(shell("echo $$ >tool; kill -STOP $PPID; sleep 300; :"));
  const pid_t tool = pid_in("tool");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  expect_gone({tool});
}

TEST_P(ChildEndTest, AToolThatKillsItsGuardEndsWithIt) {
  start(shell("echo $$ >tool; kill -KILL $PPID; exec sleep 300"));
  const pid_t tool = pid_in("tool");
  wait_until([this] { return result_.has_value(); }, "the loss is noticed");
  ASSERT_TRUE(result_->error.has_value());
  EXPECT_EQ(result_->error->code, ErrorCode::kInternal);
  wait_until([&] { return !is_alive(tool); }, "the kernel ends the tool");
}

/// Leaves three processes that no guard ends: itself, one in a session of its own, and one that
/// keeps changing its pid and session.
constexpr const char* kEscape =
    "import ctypes, os, signal, time\n"
    "guard, note = os.getppid(), lambda n: open(n, 'w').write(f'{os.getpid()}\\n')\n"
    "ctypes.CDLL(None).prctl(1, 0)\n"
    "if os.fork() == 0:\n"
    "  os.setsid()\n"
    "  if os.fork(): os._exit(0)\n"
    "  os.setsid()\n"
    "  end = time.monotonic() + 15\n"
    "  if os.fork() == 0: note('daemon'); time.sleep(300)\n"
    "  while time.monotonic() < end:\n"
    "    if os.fork(): os._exit(0)\n"
    "    os.setsid()\n"
    "  open('survived', 'w').write('x')\n"
    "note('tool')\n"
    "while not os.path.exists('daemon'): time.sleep(0.01)\n"
    "while not os.path.exists('go'): time.sleep(0.01)\n"
    "os.kill(guard, signal.SIGKILL)\n"
    "time.sleep(300)\n";

TEST_P(ChildEndTest, AToolThatOutlivesItsGuardIsEndedAllTheSame) {
  start(spec({"/usr/bin/python3", "-c", kEscape}));
  const pid_t pids[] = {pid_in("tool"), pid_in("daemon")};
  // Another run is about to begin meanwhile, and goes on.
  std::optional<ChildResult> other;
  auto second = Child::start(&loop_, server_, shell("sleep 0.1; echo fine"),
                             [&](const ChildResult& result) { other = result; });
  ASSERT_TRUE(second.has_value());
  std::ofstream(folder_ + "/go") << "now";
  wait_until([this] { return result_.has_value(); }, "the loss is noticed");
  EXPECT_EQ(result_->error.value_or(Error{}).code, ErrorCode::kInternal);
  EXPECT_FALSE(result_->has_survivors);
  expect_gone({pids[0], pids[1]});
  wait_until([&] { return other.has_value(); }, "the other run has ended");
  EXPECT_EQ(other->exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/survived"));
  EXPECT_EQ(::waitpid(pids[1], nullptr, WNOHANG), -1) << "it was reaped";
}

TEST_P(ChildEndTest, AToolCannotReportInItsGuardsPlace) {
  const std::string script = "for n in 3 4; do echo forged >/proc/$PPID/fd/$n; done; exit 3";
  ChildSpec child = shell(script);
  if (::geteuid() == 0) {
    // The superuser may do it; without these capabilities it is a user like others.
    child = spec({"/usr/bin/setpriv", "--bounding-set=-sys_ptrace,-dac_override,-dac_read_search",
                  "/bin/sh", "-c", script});
  }
  run(std::move(child));
  EXPECT_THAT(err(), testing::HasSubstr("Permission denied"));
  EXPECT_EQ(result_->exit_code, 3);
}

TEST_P(ChildEndTest, AForkStormEnds) {
  // Each process starts two more and moves to a new session, to a bounded depth.
  std::ofstream(folder_ + "/storm.py") << "import os, time\n"
                                          "for depth in range(4):\n"
                                          "  os.fork()\n"
                                          "  if os.fork() == 0: os.setsid()\n"
                                          "open('pids', 'a').write(f'{os.getpid()}\\n')\n"
                                          "time.sleep(300)\n";
  ChildSpec child = spec({"/usr/bin/python3", "storm.py"});
  child.limits.processes = 20'000;
  child.kill_delay = milliseconds(50);
  start(std::move(child));
  const auto pids = [this] {
    std::vector<pid_t> list;
    std::ifstream file(folder_ + "/pids");
    for (pid_t pid = 0; file >> pid;) list.push_back(pid);
    return list;
  };
  wait_until([&] { return pids().size() >= 100; }, "the storm has begun");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_FALSE(result_->has_survivors);
  for (const pid_t pid : pids()) EXPECT_FALSE(is_alive(pid)) << pid;
}

TEST_P(ChildEndTest, AProcessThatKeepsChangingItsPidAndSessionIsOutrun) {
  std::ofstream(folder_ + "/chain.py") << "import os, time\n"
                                          "end = time.monotonic() + 15\n"
                                          "if os.fork():\n"
                                          "  open('tool', 'w').write(f'{os.getpid()}\\n')\n"
                                          "  time.sleep(300)\n"
                                          "while time.monotonic() < end:\n"
                                          "  if os.fork(): os._exit(0)\n"
                                          "  os.setsid()\n"
                                          "open('survived', 'w').write('x')\n";
  ChildSpec child = spec({"/usr/bin/python3", "chain.py"});
  child.kill_delay = milliseconds(20);
  start(std::move(child));
  pid_in("tool");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_FALSE(result_->has_survivors);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/survived"));
}

TEST_P(ChildEndTest, AForeignHolderOfItsOutputIsNotWaitedForLong) {
  start(shell("echo $$ >tool; while [ ! -e go ]; do sleep 0.01; done; echo end"));
  const pid_t tool = pid_in("tool");
  const std::string path = "/proc/" + std::to_string(tool) + "/fd/1";
  const UniqueFd held(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(held.is_open());
  std::ofstream(folder_ + "/go") << "";
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->exit_code, 0);
  EXPECT_EQ(out(), "end\n");
}

TEST_P(ChildEndTest, DestroyingItCancelsAndTellsNobody) {
  start(shell("echo $$ >tool; sleep 300; :"));
  const pid_t tool = pid_in("tool");
  child_.reset();
  wait_until([&] { return !is_alive(tool); }, "the tool has ended");
  uv_run(&loop_, UV_RUN_DEFAULT);
  EXPECT_FALSE(result_.has_value());
}

TEST_P(ChildEndTest, TheGuardIsReaped) {
  run(spec({"/bin/true"}));
  const pid_t guard = child_->guard_pid();
  wait_until([&] { return ::kill(guard, 0) != 0; }, "no dead guard is left behind");
}

TEST_P(ChildEndTest, OutputUntilNowIsSeenWhileItRuns) {
  start(shell("echo begun; echo $$ >tool; sleep 300; :"));
  wait_until([this] { return out() == "begun\n"; }, "output arrives");
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
}

INSTANTIATE_TEST_SUITE_P(Each, ChildEndTest, testing::Bool(), ChildEndTest::name_of);

}  // namespace
}  // namespace filecall::worker
