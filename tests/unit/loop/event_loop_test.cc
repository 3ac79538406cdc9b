// SPDX-License-Identifier: MIT
#include "loop/event_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "loop/loop_timer.h"
#include "os/clock.h"

namespace filecall {
namespace {

class EventLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    auto loop = EventLoop::open();
    ASSERT_TRUE(loop);
    loop_ = *std::move(loop);
  }
  std::unique_ptr<EventLoop> loop_;
};

TEST_F(EventLoopTest, ReturnsAtOnceWhenTheInstantIsPast) {
  const auto now = monotonic_now();
  loop_->wait(Deadline::at(now), now);
  EXPECT_FALSE(loop_->take_readable());
}

TEST_F(EventLoopTest, WaitsUntilTheInstantAndNotLess) {
  const auto now = monotonic_now();
  const auto end = now + milliseconds(5);
  loop_->wait(Deadline::at(end), now);
  EXPECT_GE(monotonic_now(), end);
}

TEST_F(EventLoopTest, SaysThatItsDescriptorWasReadable) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(loop_->watch(ends[0]));
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  loop_->wait(Deadline::never(), monotonic_now());
  EXPECT_TRUE(loop_->take_readable());
  EXPECT_FALSE(loop_->take_readable()) << "it was said";
  loop_.reset();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(EventLoopTest, IsWokenFromAnotherThread) {
  std::thread other([this] { loop_->wake(); });
  loop_->wait(Deadline::never(), monotonic_now());
  other.join();
}

TEST_F(EventLoopTest, TurnsWhileSomethingIsWanted) {
  int left = 2;
  LoopTimer soon(loop_->get(), [&] { --left; });
  LoopTimer later(loop_->get(), [&] { --left; });
  soon.start(Duration::zero());
  later.start(milliseconds(2));
  loop_->run_while([&] { return left > 0; });
  EXPECT_EQ(left, 0);
  loop_->run_while([] { return false; });
}

TEST_F(EventLoopTest, WaitsForNothingOnceATimerHasEndedWhatWasWanted) {
  bool is_over = false;
  LoopTimer only(loop_->get(), [&] { is_over = true; });
  only.start(Duration::zero());
  // Due before the turn begins, which runs it just before it waits.
  std::this_thread::yield();
  LoopTimer late(loop_->get(), [] { FAIL() << "waited for it"; });
  late.start(seconds(5));
  loop_->run_while([&] { return !is_over; });
  EXPECT_TRUE(is_over);
}

TEST_F(EventLoopTest, LetsHandlesCloseThatWereDestroyedBeforeIt) {
  {
    LoopTimer timer(loop_->get(), [] {});
  }
  loop_.reset();  // A handle left open would show as a leak, or never let it end.
}

}  // namespace
}  // namespace filecall
