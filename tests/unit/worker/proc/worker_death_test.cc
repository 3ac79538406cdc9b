// SPDX-License-Identifier: MIT
#include <poll.h>
#include <sys/wait.h>

#include "child_fixture.h"

namespace filecall::worker {
namespace {

/// With a guard that was made ahead, or with one that is made for the run.
class WorkerDeathTest : public ChildFixture, public testing::WithParamInterface<bool> {
 protected:
  /// A process that runs `child` as a worker would, until it is killed.
  pid_t fork_worker(ChildSpec child) const {
    const std::string server_file = folder_ + "/server";
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    uv_loop_t loop;
    uv_loop_init(&loop);
    const auto server = std::make_shared<GuardServer>(FILECALL_TEST_GUARD);
    if (GetParam()) make_spare(&loop, server);
    auto started = Child::start(&loop, server, std::move(child), [](const ChildResult&) {});
    if (!started) ::_exit(1);
    std::ofstream(server_file) << server->pid() << "\n";
    uv_run(&loop, UV_RUN_DEFAULT);
    ::_exit(0);
  }
  /// In that process.
  void make_spare(uv_loop_t* loop, const std::shared_ptr<GuardServer>& server) const {
    bool has_ended = false;
    const auto first = Child::start(loop, server, spec({"/bin/true"}),
                                    [&](const ChildResult&) { has_ended = true; });
    while (!has_ended) uv_run(loop, UV_RUN_ONCE);
    const auto has_spare = [&] {
      const auto own = children(::getpid(), server->pid());
      return std::any_of(own.begin(), own.end(), [&](pid_t child) {
        return child != server->pid() && children(child).size() == 1;
      });
    };
    while (!has_spare()) ::poll(nullptr, 0, 1);
  }
  static void kill_worker(pid_t worker) {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
};

TEST_P(WorkerDeathTest, NothingSurvivesAKilledWorker) {
  const pid_t worker = fork_worker(
      shell("setsid sh -c 'trap \"\" TERM; echo $$ >grandchild; sleep 300; :' & echo $$ >tool; "
            "sleep 300; :"));
  const pid_t tool = pid_in("tool");
  const pid_t grandchild = pid_in("grandchild");
  const pid_t server = pid_in("server");
  kill_worker(worker);
  wait_until([&] { return !is_alive(tool) && !is_alive(grandchild) && !is_alive(server); },
             "all have ended");
}

TEST_P(WorkerDeathTest, AToolThatHoldsOnIsKilledAfterTheDelay) {
  ChildSpec child = shell("trap '' TERM; echo $$ >tool; while :; do sleep 300; done");
  child.kill_delay = milliseconds(100);
  const pid_t worker = fork_worker(std::move(child));
  const pid_t tool = pid_in("tool");
  kill_worker(worker);
  wait_until([&] { return !is_alive(tool); }, "the tool has ended");
}

INSTANTIATE_TEST_SUITE_P(Each, WorkerDeathTest, testing::Bool(), ChildOfEitherGuard::name_of);

}  // namespace
}  // namespace filecall::worker
