// SPDX-License-Identifier: MIT
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <set>

#include "sandboxed_child_fixture.h"

namespace filecall::worker {
namespace {

namespace fs = std::filesystem;

/// The guard that a server has made ahead of the next run.
class SpareGuardTest : public SandboxedChildFixture {
 protected:
  /// The guard of a run that has ended.
  pid_t run_of(ChildSpec spec) {
    const ChildResult result = run(std::move(spec));
    EXPECT_EQ(result.exit_code, 0) << err();
    return child_->guard_pid();
  }
  static bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }
};

TEST_F(SpareGuardTest, IsTheGuardOfTheNextRunAndOfNoOther) {
  for (const bool is_sandboxed : {false, true}) {
    const auto next = [&] { return is_sandboxed ? confined("true") : shell("true"); };
    run_of(next());
    const pid_t first = await_spare();
    EXPECT_EQ(run_of(next()), first);
    const pid_t second = await_spare();
    EXPECT_NE(second, first);
    EXPECT_EQ(run_of(next()), second);
  }
}

TEST_F(SpareGuardTest, HasTheToolsProcessAhead) {
  run_of(shell("true"));
  const pid_t tool = *children(await_spare(), server_->pid()).begin();
  run_of(shell("echo $$"));
  EXPECT_EQ(out(), std::to_string(tool) + "\n");
}

TEST_F(SpareGuardTest, TakesNothingFromTheLastRun) {
  run_of(shell("umask 0; ulimit -n 50; cd /; exec sleep 0"));
  const std::string script =
      "umask; ulimit -n; pwd; ls /proc/self/fd | wc -l; grep -E 'Sig[PBIC]|Shd' /proc/self/status; "
      "ps -o pgid=,sid= -p $$ | grep -cw $$; env | sort";
  await_spare();
  run_of(shell(script));
  const std::string ahead = out();
  server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD);
  run_of(shell(script));
  EXPECT_EQ(ahead, out()) << "it is like a tool of a guard that is made for it";
}

TEST_F(SpareGuardTest, DoesNotPassOnWhatSomebodySentBeforeTheRun) {
  for (const bool is_sandboxed : {false, true}) {
    const auto next = [&](const char* script) {
      return is_sandboxed ? confined(script) : shell(script);
    };
    run_of(next("true"));
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGRTMIN}) {
      const pid_t spare = await_spare();
      for (const pid_t waiting : children(spare, server_->pid())) ::kill(waiting, number);
      // A guard that waits for a sandbox dies of the others, and another one is made.
      if (!is_sandboxed || number == SIGTERM) ::kill(spare, number);
      run_of(next("sleep 0.02; echo done"));
      EXPECT_EQ(out(), "done\n") << number;
      EXPECT_FALSE(result_->was_cancelled) << number;
    }
  }
}

TEST_F(SpareGuardTest, LeavesNoProcessWhenItIsKilled) {
  run_of(shell("true"));
  const pid_t spare = await_spare();
  const pid_t tool = *children(spare).begin();
  ::kill(spare, SIGKILL);
  wait_until([&] { return !is_alive(spare) && !is_alive(tool); }, "both have died");
  EXPECT_NE(run_of(shell("true")), spare);
  EXPECT_FALSE(exists(spare) || exists(tool)) << "both are reaped";
}

TEST_F(SpareGuardTest, ThatIsKilledBeforeItLeavesTheServersGroupIsMissedByItsRun) {
  for (const bool looks_first : {false, true}) {
    run_of(shell("true"));
    const pid_t spare = await_spare();
    ::kill(spare, SIGSTOP);
    result_.reset();
    start(shell("echo $$ >tool; sleep 300; :"));
    const pid_t tool = *children(spare).begin();
    if (looks_first) pid_in("tool");
    // Without a turn of the loop, so that nobody has heard its guard.
    while (!fs::exists(folder_ + "/tool") && is_alive(tool)) ::sched_yield();
    ::kill(spare, SIGKILL);
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(spare), &info, WEXITED | WNOWAIT), 0);
    // Reaps what has ended in the server's group.
    ASSERT_TRUE(server_->prepare().has_value());
    wait_until([this] { return result_.has_value(); }, "its loss is told");
    EXPECT_TRUE(result_->error.has_value());
    EXPECT_FALSE(is_alive(tool));
    fs::remove(folder_ + "/tool");
  }
}

TEST_F(SpareGuardTest, ThatCannotLeaveTheServersGroupEndsWithItAndItsRun) {
  run_of(shell("true"));
  const pid_t spare = await_spare();
  ::kill(spare, SIGSTOP);
  result_.reset();
  start(shell("echo $$ >tool; sleep 300; :"));
  const pid_t tool = pid_in("tool");
  server_->end();
  wait_until([this] { return result_.has_value(); }, "its loss is told");
  EXPECT_TRUE(result_->error.has_value());
  EXPECT_FALSE(is_alive(tool));
}

TEST_F(SpareGuardTest, IsNotUsedForARunOfAnotherKind) {
  run_of(shell("true"));
  const pid_t free = await_spare();
  EXPECT_NE(run_of(confined("test ! -e /etc/shadow")), free);
  const pid_t writing = await_spare();
  sandbox_.level = guard::Level::kReadOnly;
  EXPECT_NE(run_of(confined("! touch mine 2>/dev/null")), writing);
  const pid_t reading = await_spare();
  EXPECT_NE(run_of(shell("test -e /etc/shadow")), reading);
  EXPECT_FALSE(exists(free) || exists(writing)) << "what is not used is reaped";
}

TEST_F(SpareGuardTest, ThatWasKilledIsReplaced) {
  for (const bool kills_init : {false, true}) {
    run_of(confined("true"));
    const pid_t spare = await_spare();
    const pid_t killed = kills_init ? *children(spare).begin() : spare;
    ::kill(killed, SIGKILL);
    wait_until([&] { return !is_alive(killed); }, "it has died");
    EXPECT_NE(run_of(confined("true")), spare);
  }
}

TEST_F(SpareGuardTest, IsMadeOnceForARun) {
  run_of(shell("true"));
  const pid_t spare = await_spare();
  ::kill(spare, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(spare), &info, WEXITED | WNOWAIT), 0);
  if (::geteuid() == 0) {
    const std::string fds = "/proc/" + std::to_string(server_->pid()) + "/fd";
    wait_until(
        [&] {
          const fs::directory_iterator open(fds);
          return std::distance(begin(open), end(open)) == guard::kGuardDescriptors + 1;
        },
        "the server has noticed");
  }
  wait_until([&] { return sleeps(server_->pid()); }, "the server waits");
  EXPECT_TRUE(spares().empty());
}

TEST_F(SpareGuardTest, EndsWithItsServer) {
  for (const bool is_sandboxed : {false, true}) {
    const auto next = [&] { return is_sandboxed ? confined("true") : shell("true"); };
    run_of(next());
    const pid_t spare = await_spare();
    const pid_t own = *children(spare).begin();
    ::kill(server_->pid(), SIGKILL);
    wait_until([&] { return !is_alive(spare) && !is_alive(own); }, "both have ended");
    run_of(next());
    EXPECT_FALSE(exists(spare)) << "it is reaped";
  }
}

TEST_F(SpareGuardTest, IsEndedAndReapedWithTheLastUserOfItsServer) {
  for (const bool is_sandboxed : {false, true}) {
    server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD);
    run_of(is_sandboxed ? confined("true") : shell("true"));
    const pid_t spare = await_spare();
    const pid_t own = *children(spare).begin();
    child_.reset();
    server_.reset();
    EXPECT_FALSE(exists(spare));
    EXPECT_FALSE(exists(own)) << "no other process is to reap it";
  }
}

class SpareGuardOfADeadWorker : public SpareGuardTest, public testing::WithParamInterface<bool> {};

TEST_P(SpareGuardOfADeadWorker, IsNotLeft) {
  const pid_t worker = ::fork();
  if (worker == 0) {
    uv_loop_t loop;
    uv_loop_init(&loop);
    auto child = Child::start(&loop, server_, GetParam() ? confined("true") : shell("true"),
                              [](const ChildResult&) {});
    if (!child) ::_exit(1);
    uv_run(&loop, UV_RUN_DEFAULT);
    std::ofstream(folder_ + "/server") << server_->pid() << "\n";
    for (;;) ::pause();
  }
  const pid_t server = pid_in("server");
  std::set<pid_t> spare, init;
  wait_until(
      [&] {
        spare = children(worker, server);
        spare.erase(server);
        if (spare.size() == 1) init = children(*spare.begin());
        return init.size() == 1;
      },
      "a spare guard waits");
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  ASSERT_EQ(init.size(), 1U);
  wait_until([&] { return !is_alive(*spare.begin()) && !is_alive(*init.begin()); }, "both ended");
}

INSTANTIATE_TEST_SUITE_P(Each, SpareGuardOfADeadWorker, testing::Bool(), [](const auto& each) {
  return each.param ? "InASandbox" : "WithoutASandbox";
});

TEST_F(SpareGuardTest, IsNotUsedWhenAPathNamesAnotherFile) {
  std::ofstream(folder_ + "/name") << "old\n";
  EXPECT_EQ(output_of("cat name"), "old\n");
  const pid_t spare = await_spare();
  fs::rename(folder_, folder_ + "-moved");
  fs::create_directory(folder_);
  std::ofstream(folder_ + "/name") << "new\n";
  EXPECT_EQ(output_of("cat name"), "new\n");
  EXPECT_NE(child_->guard_pid(), spare);
  fs::remove_all(folder_ + "-moved");
}

TEST_F(SpareGuardTest, EndsWhenTheHostsMountsChange) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser mounts";
  server_->end();
  ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  const std::string place = folder_ + "/place";
  fs::create_directory(place);
  run_of(confined("test ! -e place/file"));
  const pid_t spare = await_spare();
  ASSERT_EQ(::mount("tmpfs", place.c_str(), "tmpfs", 0, nullptr), 0);
  std::ofstream(place + "/file") << "x";
  wait_until([&] { return !is_alive(spare); }, "it keeps no file system busy");
  EXPECT_NE(run_of(confined("test -e place/file")), spare);
  const pid_t next = await_spare();
  // At once: the run may come before the spare guard has ended.
  ASSERT_EQ(::umount(place.c_str()), 0);
  EXPECT_NE(run_of(confined("test ! -e place/file")), next);
}

TEST_F(SpareGuardTest, ShowsNothingOfWhatIsHiddenAndProtectedLater) {
  sandbox_.protect = {".git"};
  sandbox_.hidden = {folder_ + "/deep/secret"};
  run_of(confined("true"));
  const pid_t spare = await_spare();
  fs::create_directories(folder_ + "/deep/.git");
  fs::create_directory(folder_ + "/.git");
  std::ofstream(folder_ + "/deep/secret") << "secret\n";
  ChildSpec spec = confined("cat secret; touch .git/x ../.git/x; mv ../deep ../other; exit 0");
  spec.cwd = UniqueFd(::open((folder_ + "/deep").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(run_of(std::move(spec)), spare) << "what lies in a root is not what it was made of";
  EXPECT_EQ(out(), "");
  EXPECT_FALSE(fs::exists(folder_ + "/deep/.git/x") || fs::exists(folder_ + "/.git/x"));
  EXPECT_TRUE(fs::exists(folder_ + "/deep/secret"));
}

TEST_F(SpareGuardTest, ShowsARunNothingOfTheLast) {
  const std::string script = "ls -A /dev/shm; ps -e | wc -l; touch /dev/shm/mine; umask; ulimit -n";
  const std::string first = output_of(script);
  const pid_t spare = await_spare();
  ChildSpec limited = confined(script);
  limited.limits.files = 50;
  EXPECT_EQ(run_of(std::move(limited)), spare);
  EXPECT_THAT(out(), testing::EndsWith("50\n")) << "the limits are those of the run";
  EXPECT_EQ(output_of(script), first);
}

TEST_F(SpareGuardTest, HoldsNoDescriptorOfARun) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser sees its descriptors";
  run_of(confined("true"));
  const pid_t spare = await_spare();
  const auto targets = [](pid_t pid) {
    std::multiset<std::string> found;
    for (const auto& fd : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
      if (fd.path().filename() == "2") continue;  // The worker's own, for what is wrong here.
      const std::string target = fs::read_symlink(fd.path());
      found.insert(target.substr(0, target.find(':')));
    }
    return found;
  };
  // Of itself: the server's socket, another to the server, one to its process 1, and its failure.
  const auto own = targets(spare);
  EXPECT_EQ(own.count("socket"), 3U);
  EXPECT_EQ(own.count("pipe"), 1U);
  EXPECT_EQ(own.count("/dev/null"), own.size() - 5) << "and the host's mounts";
  // Its process 1 has its side of both, the link also in the places of a run's descriptors.
  const auto inner = targets(*children(spare).begin());
  EXPECT_EQ(inner.count("socket"), inner.size() - 1);
  EXPECT_EQ(inner.count("pipe"), 1U);
}

TEST_F(SpareGuardTest, IsOneOfManyAtOnce) {
  run_of(confined("true"));
  await_spare();
  std::vector<std::unique_ptr<Child>> burst;
  std::size_t done = 0;
  std::set<pid_t> guards;
  for (int i = 0; i < 12; ++i) {
    auto started = Child::start(&loop_, server_, confined("touch /tmp/mine && ls /tmp | wc -l"),
                                [&](const ChildResult& result) {
                                  EXPECT_EQ(result.exit_code, 0);
                                  ++done;
                                });
    ASSERT_TRUE(started.has_value());
    burst.push_back(std::move(*started));
  }
  wait_until([&] { return done == burst.size(); }, "all have ended");
  for (const auto& child : burst) {
    EXPECT_EQ(child->standard_output().render(), "2\n");
    guards.insert(child->guard_pid());
  }
  EXPECT_EQ(guards.size(), burst.size());
}

}  // namespace
}  // namespace filecall::worker
