// SPDX-License-Identifier: MIT
#include "client/report/worker_lanes.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ipc/worker_status.h"

namespace filecall::client {
namespace {

class WorkerLanesTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-lanes-XXXXXX";
    root_ = mkdtemp(pattern);
    std::filesystem::create_directories(
        std::filesystem::path(layout().worker_status()).parent_path());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  spool::Layout layout() const { return spool::Layout(root_); }
  void report(const std::vector<WorkerStatus::Destination>& destinations) {
    WorkerStatus status;
    status.destinations = destinations;
    std::ofstream(layout().worker_status()) << render_worker_status(status);
  }

  std::string root_;
  const MonotonicTime now_{seconds(10)};
};

TEST_F(WorkerLanesTest, AreNoneWithoutAStatus) {
  WorkerLanes lanes(layout());
  EXPECT_TRUE(lanes.at(now_).empty());
  std::ofstream(layout().worker_status()) << "{";
  EXPECT_TRUE(lanes.at(now_ + seconds(2)).empty());
}

TEST_F(WorkerLanesTest, AreThoseThatHaveSomethingToSay) {
  report({{"idle", 0, 0, 4, 4, 0, ""},
          {"busy", 1, 0, 4, 4, 0, ""},
          {"waiting", 0, 1, 4, 4, 0, ""},
          {"paused", 0, 0, 4, 4, 700, ""},
          {"broken", 0, 0, 4, 4, 0, "no key"}});
  WorkerLanes lanes(layout());
  std::vector<std::string> names;
  for (const ProgressLane& lane : lanes.at(now_)) names.push_back(lane.name);
  EXPECT_EQ(names, (std::vector<std::string>{"busy", "waiting", "paused", "broken"}));
  EXPECT_EQ(lanes.at(now_)[2].pause_ms, 700);
  EXPECT_EQ(lanes.at(now_)[3].problem, "no key");
}

TEST_F(WorkerLanesTest, AreReadOnceASecond) {
  report({{"busy", 1, 0, 4, 4, 0, ""}});
  WorkerLanes lanes(layout());
  EXPECT_EQ(lanes.at(now_).size(), 1u);
  report({});
  EXPECT_EQ(lanes.at(now_ + milliseconds(999)).size(), 1u);
  EXPECT_TRUE(lanes.at(now_ + seconds(1)).empty());
}

}  // namespace
}  // namespace filecall::client
