// SPDX-License-Identifier: MIT
#include "loop/loop_handle.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "loop/loop_idle.h"
#include "loop/loop_timer.h"

namespace filecall {
namespace {

class LoopHandleTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(uv_loop_init(&loop_), 0); }
  void TearDown() override {
    run();
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "every handle is closed";
  }
  void run() { uv_run(&loop_, UV_RUN_DEFAULT); }

  uv_loop_t loop_{};
};

TEST_F(LoopHandleTest, TimersFireOnceAndCanBeArmedAgain) {
  int fired = 0;
  LoopTimer timer(&loop_, [&] { ++fired; });
  timer.start(Duration::zero());
  run();
  EXPECT_EQ(fired, 1);
  timer.start(milliseconds(-5));
  run();
  EXPECT_EQ(fired, 2);
}

TEST_F(LoopHandleTest, ATimerThatItsCallbackSetsToZeroLeavesTheTurnToOthers) {
  int fired = 0;
  bool has_heard = false;
  uv_async_t other;
  uv_async_init(&loop_, &other, [](uv_async_t* handle) {
    *static_cast<bool*>(handle->data) = true;
    uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
  });
  other.data = &has_heard;
  uv_async_send(&other);
  LoopTimer timer(&loop_, [&] {
    if (++fired < 1000 && !has_heard) timer.start(Duration::zero());
  });
  timer.start(Duration::zero());
  run();
  EXPECT_TRUE(has_heard);
  EXPECT_LT(fired, 1000);
}

TEST_F(LoopHandleTest, AStoppedTimerDoesNotFire) {
  bool has_fired = false;
  LoopTimer timer(&loop_, [&] { has_fired = true; });
  timer.start(Duration::zero());
  timer.stop();
  run();
  EXPECT_FALSE(has_fired);
}

TEST_F(LoopHandleTest, ADestroyedTimerDoesNotFireThoughItIsDue) {
  bool has_fired = false;
  std::optional<LoopTimer> second;
  // Both are due in one turn; the first ends the second.
  LoopTimer first(&loop_, [&] { second.reset(); });
  second.emplace(&loop_, [&] { has_fired = true; });
  first.start(Duration::zero());
  second->start(Duration::zero());
  run();
  EXPECT_FALSE(has_fired);
}

TEST_F(LoopHandleTest, ATimerMayEndItself) {
  int fired = 0;
  std::unique_ptr<LoopTimer> timer;
  const auto kept = std::make_shared<int>(7);
  timer = std::make_unique<LoopTimer>(&loop_, [&fired, &timer, kept] {
    timer.reset();
    fired += *kept;  // What the callback captured outlives its timer.
  });
  timer->start(Duration::zero());
  run();
  EXPECT_EQ(fired, 7);
  EXPECT_EQ(kept.use_count(), 1) << "and goes when the handle is closed";
}

TEST_F(LoopHandleTest, AnIdleHandleCallsInEveryTurnUntilItIsStopped) {
  int turns = 0;
  std::optional<LoopIdle> idle;
  idle.emplace(&loop_, [&] {
    if (++turns == 3) idle->stop();
  });
  idle->start();
  run();
  EXPECT_EQ(turns, 3);
  idle->start();
  idle.reset();
  run();
  EXPECT_EQ(turns, 3);
}

TEST_F(LoopHandleTest, HandsOnWhatLibuvSays) {
  int events = 0;
  int ends[2];
  ASSERT_EQ(uv_pipe(ends, 0, 0), 0);
  uv_fs_t written;
  uv_buf_t byte = uv_buf_init(const_cast<char*>("x"), 1);
  ASSERT_EQ(uv_fs_write(&loop_, &written, ends[1], &byte, 1, -1, nullptr), 1);
  using Poll = LoopHandle<uv_poll_t, int, int>;
  std::optional<Poll> poll;
  poll.emplace([&](uv_poll_t* handle) { return uv_poll_init(&loop_, handle, ends[0]); },
               [&](int status, int what) {
                 EXPECT_EQ(status, 0);
                 events = what;
                 poll.reset();
               });
  uv_poll_start(poll->get(), UV_READABLE, Poll::call);
  run();
  EXPECT_EQ(events, UV_READABLE);
  for (const int fd : ends) uv_fs_close(&loop_, &written, fd, nullptr);
}

TEST(LoopHandleDeathTest, AHandleThatCannotBeMadeIsAProgrammerError) {
  using Timer = LoopHandle<uv_timer_t>;
  EXPECT_DEATH(Timer([](uv_timer_t*) { return UV_EINVAL; }, [] {}), "a handle fits a valid loop");
}

}  // namespace
}  // namespace filecall
