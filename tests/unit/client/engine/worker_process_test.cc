// SPDX-License-Identifier: MIT
#include "client/engine/worker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "client/engine/worker_launch.h"
#include "fake_worker.h"
#include "ipc/worker_status.h"
#include "os/clock.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;

// A stand-in for the worker program: `body` runs after it took the lock.
class WorkerProcessTest : public ::testing::Test {
 protected:
  void install(const std::string& body) {
    root_.write("program", "#!/bin/sh\n" + body);
    ::chmod(program().c_str(), 0700);
    ::setenv("FILECALL_WORKER", program().c_str(), 1);
  }
  ~WorkerProcessTest() override { ::unsetenv("FILECALL_WORKER"); }
  std::string program() const { return root_.path() + "/program"; }
  std::string worker_root() const { return root_.path() + "/root"; }
  // Holds the lock as the shell's descriptor 9 and says that it is ready.
  std::string ready_worker() const {
    WorkerStatus status;
    status.state = WorkerState::kReady;
    status.pid = 424242;
    status.started_at = status.heartbeat_at = wall_now();
    root_.write("status", render_worker_status(status));
    return "root=$2; exec 9>$root/worker/lock; flock -n 9 || exit 75\n"
           "sed s/424242/$$/ " +
           root_.path() +
           "/status > $root/worker/status.json\n"
           "trap 'exit 0' TERM; while :; do sleep 0.05; done\n";
  }

  TemporaryRoot root_;
};

TEST_F(WorkerProcessTest, SeesAHolderOfALockWhoseDescriptorsMayNotBeLookedAt) {
  root_.write("held", "");
  const std::string path = root_.path() + "/held";
  EXPECT_FALSE(holds_lock(::getpid(), path));
  const auto lock = spool::FileLock::acquire(path, seconds(1));
  ASSERT_TRUE(lock);
  EXPECT_TRUE(holds_lock(::getpid(), path));
  EXPECT_FALSE(holds_lock(1, path));
  EXPECT_FALSE(holds_lock(::getpid(), path + "-too"));
}

TEST_F(WorkerProcessTest, WritesWhatAWorkerPrintsNowhereElse) {
  install(ready_worker());
  const spool::Layout layout(worker_root());
  ASSERT_TRUE(spool::Root::open(worker_root(), {}));
  root_.write("outside", "whole");
  ASSERT_EQ(::symlink((root_.path() + "/outside").c_str(), layout.client_start_log().c_str()), 0);
  const WorkerStart start{.root = worker_root(), .durability = Durability::kNone};
  EXPECT_EQ(start_worker(start).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(root_.read("outside"), "whole");
  ASSERT_EQ(::unlink(layout.client_start_log().c_str()), 0);
  ASSERT_EQ(::mkfifo(layout.client_start_log().c_str(), 0600), 0);
  EXPECT_EQ(start_worker(start).error().code, ErrorCode::kFailedPrecondition) << "and never waits";
}

TEST_F(WorkerProcessTest, DoesNotTakeAHeartbeatOfAnotherAgeForAFreshOne) {
  ASSERT_TRUE(spool::Root::open(worker_root(), {}));
  const spool::Layout layout(worker_root());
  const auto lock = spool::FileLock::acquire(layout.worker_lock());
  ASSERT_TRUE(lock);
  WorkerStatus status;
  status.state = WorkerState::kReady;
  status.started_at = wall_now();
  status.heartbeat_at = WallTime(seconds(1));
  std::string text = render_worker_status(status);
  const std::string first = "1970-01-01T00:00:01.000Z";
  text.replace(text.find(first), first.size(), "1700-01-01T00:00:01.000Z");
  root_.write("root/worker/status.json", text);
  const auto view = worker_view(worker_root());
  ASSERT_TRUE(view && view->status);
  EXPECT_EQ(view->presence, WorkerPresence::kStarting);
}

TEST_F(WorkerProcessTest, StartsOneWaitsForItAndStopsIt) {
  install(ready_worker());
  const WorkerStart start{.root = worker_root(), .durability = Durability::kNone};
  EXPECT_EQ(worker_view(worker_root())->presence, WorkerPresence::kNotRunning);
  const auto pid = start_worker(start);
  ASSERT_TRUE(pid) << pid.error().message;
  ASSERT_GT(*pid, 0);
  const auto view = wait_until_ready(start, *pid, seconds(20));
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->pid, *pid);
  EXPECT_EQ(::getsid(*pid), *pid) << "an own session";
  const auto again = start_worker(start);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, 0) << "never two";
  const auto stopped = stop_worker(worker_root(), {});
  ASSERT_TRUE(stopped) << stopped.error().message;
  EXPECT_TRUE(*stopped);
  EXPECT_EQ(worker_view(worker_root())->presence, WorkerPresence::kNotRunning);
  EXPECT_FALSE(*stop_worker(worker_root(), {}));
}

TEST_F(WorkerProcessTest, ShowsWhatAWorkerSaidThatEndedEarly) {
  install("echo 'config: line 3: unknown key' >&2; exit 2\n");
  const WorkerStart start{.root = worker_root()};
  const auto pid = start_worker(start);
  ASSERT_TRUE(pid);
  const auto view = wait_until_ready(start, *pid, seconds(20));
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(view.error().message, HasSubstr("exit code 2"));
  EXPECT_THAT(view.error().message, HasSubstr("line 3"));
}

TEST_F(WorkerProcessTest, NeverSignalsAProcessThatDoesNotHoldTheLock) {
  // The status names this very test, but the lock is held by nobody who could be found.
  ASSERT_TRUE(spool::Root::open(worker_root(), {}));
  WorkerStatus status;
  status.state = WorkerState::kReady;
  status.pid = ::getppid();
  root_.write("root/worker/status.json", render_worker_status(status));
  EXPECT_FALSE(*stop_worker(worker_root(), {}));
  EXPECT_EQ(worker_view(worker_root())->presence, WorkerPresence::kNotRunning);
}

TEST_F(WorkerProcessTest, NamesThePlacesWhereItLookedForTheProgram) {
  const auto found = find_worker_program(nullptr, "/nowhere:");
  if (!found) {
    EXPECT_THAT(found.error().message, HasSubstr("FILECALL_WORKER"));
  }
  install("exit 0\n");
  EXPECT_EQ(*find_worker_program(program().c_str(), nullptr), program());
  EXPECT_EQ(find_worker_program("/nowhere/at/all", nullptr).error().code, ErrorCode::kNotFound);
}

TEST_F(WorkerProcessTest, ReadsTheLastLinesOfALog) {
  root_.write("log", "1\n2\n3\n4\n");
  EXPECT_EQ(*log_tail(root_.path() + "/log", 2), "3\n4\n");
  EXPECT_EQ(*log_tail(root_.path() + "/log", 9), "1\n2\n3\n4\n");
  EXPECT_EQ(*log_tail(root_.path() + "/none", 9), "");
}

TEST_F(WorkerProcessTest, FollowsALogFromWhereItsTailEnded) {
  const std::string log = root_.path() + "/log";
  std::ofstream(log) << "1\n";
  LogPlace place;
  ASSERT_EQ(*log_tail(log, 9, &place), "1\n");
  std::ofstream(log, std::ios::app) << "2\n";
  std::string found;
  const auto add = [&](std::string_view more) {
    found += more;
    return !more.empty();
  };
  ASSERT_TRUE(follow_log(log, place, add));
  EXPECT_EQ(found, "2\n");
}

}  // namespace
}  // namespace filecall::client
