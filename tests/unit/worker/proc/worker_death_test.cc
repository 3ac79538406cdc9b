// SPDX-License-Identifier: MIT
#include <sys/wait.h>

#include "child_fixture.h"

namespace filecall::worker {
namespace {

class WorkerDeathTest : public ChildFixture {
 protected:
  /// A process that runs `child` as a worker would, until it is killed.
  pid_t fork_worker(ChildSpec child) const {
    const std::string server_file = folder_ + "/server";
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    uv_loop_t loop;
    uv_loop_init(&loop);
    const auto server = std::make_shared<GuardServer>(FILECALL_TEST_GUARD);
    auto started = Child::start(&loop, server, std::move(child), [](const ChildResult&) {});
    if (!started) ::_exit(1);
    std::ofstream(server_file) << server->pid() << "\n";
    uv_run(&loop, UV_RUN_DEFAULT);
    ::_exit(0);
  }
  static void kill_worker(pid_t worker) {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
};

TEST_F(WorkerDeathTest, NothingSurvivesAKilledWorker) {
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

TEST_F(WorkerDeathTest, AToolThatHoldsOnIsKilledAfterTheDelay) {
  ChildSpec child = shell("trap '' TERM; echo $$ >tool; while :; do sleep 300; done");
  child.kill_delay = milliseconds(100);
  const pid_t worker = fork_worker(std::move(child));
  const pid_t tool = pid_in("tool");
  kill_worker(worker);
  wait_until([&] { return !is_alive(tool); }, "the tool has ended");
}

}  // namespace
}  // namespace filecall::worker
