// SPDX-License-Identifier: MIT
#include "loop/pool_work.h"

#include <gtest/gtest.h>

#include <thread>

namespace filecall {
namespace {

TEST(RunInPool, WorksElsewhereAndEndsOnTheLoop) {
  uv_loop_t loop;
  ASSERT_EQ(uv_loop_init(&loop), 0);
  std::thread::id worked_on;
  std::thread::id ended_on;
  run_in_pool(
      &loop, [&] { worked_on = std::this_thread::get_id(); },
      [&] { ended_on = std::this_thread::get_id(); });
  EXPECT_EQ(ended_on, std::thread::id()) << "not before the loop runs";
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(ended_on, std::this_thread::get_id());
  EXPECT_NE(worked_on, std::thread::id());
  EXPECT_NE(worked_on, ended_on);
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

}  // namespace
}  // namespace filecall
