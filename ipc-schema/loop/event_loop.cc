// SPDX-License-Identifier: MIT
#include "loop/event_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "loop/close_loop.h"
#include "loop/loop_handle.h"

namespace filecall {
namespace {

Unexpected<Error> uv_failure(int status, std::string_view what) {
  return fail(ErrorCode::kInternal, fmt::format("{}: {}", what, uv_strerror(status)));
}

// libuv runs timers before it waits. One that is due by then (the process was not scheduled for a
// while) is spent, and a wait without a timer has no end, so the wait must be called off.
void end_waiting(uv_timer_t* timer) { uv_stop(timer->loop); }
void do_nothing_async(uv_async_t*) {}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::open() {
  std::unique_ptr<EventLoop> loop(new EventLoop);
  if (const int status = uv_loop_init(&loop->loop_); status != 0) {
    return uv_failure(status, "event loop");
  }
  loop->is_open_ = true;
  if (const int status = uv_async_init(&loop->loop_, &loop->async_, do_nothing_async);
      status != 0) {
    return uv_failure(status, "event loop: async");
  }
  uv_timer_init(&loop->loop_, &loop->timer_);
  return loop;
}

EventLoop::~EventLoop() {
  if (!is_open_) return;
  close_loop(loop_);
}

Result<void> EventLoop::watch(int fd) {
  if (fd < 0) return {};
  CHECK(!has_poll_, "a loop watches one descriptor");
  if (const int status = uv_poll_init(&loop_, &poll_, fd); status != 0) {
    return uv_failure(status, "event loop: poll");
  }
  has_poll_ = true;
  poll_.data = this;
  const int status = uv_poll_start(&poll_, UV_READABLE, [](uv_poll_t* poll, int, int) {
    static_cast<EventLoop*>(poll->data)->readable_ = true;
  });
  if (status != 0) return uv_failure(status, "event loop: poll");
  return {};
}

void EventLoop::wait(Deadline deadline, MonotonicTime now) {
  if (deadline.is_reached(now)) {
    uv_run(&loop_, UV_RUN_NOWAIT);
    return;
  }
  if (!deadline.is_never()) {
    // Rounded up: waking a little early would spin.
    const std::int64_t left_ms = to_ms(deadline.time_left(now) + milliseconds(1));
    uv_update_time(&loop_);
    uv_timer_start(&timer_, end_waiting,
                   static_cast<std::uint64_t>(std::max<std::int64_t>(1, left_ms)), 0);
  }
  uv_run(&loop_, UV_RUN_ONCE);
  uv_timer_stop(&timer_);
}

void EventLoop::run_while(const std::function<bool()>& is_wanted) {
  // As above: the timer that ends it may be run just before the wait.
  LoopHandle<uv_prepare_t> before_wait(
      [this](uv_prepare_t* prepare) { return uv_prepare_init(&loop_, prepare); },
      [&] {
        if (!is_wanted()) uv_stop(&loop_);
      });
  uv_prepare_start(before_wait.get(), decltype(before_wait)::call);
  while (is_wanted()) uv_run(&loop_, UV_RUN_ONCE);
}

bool EventLoop::take_readable() { return std::exchange(readable_, false); }

void EventLoop::wake() { uv_async_send(&async_); }

}  // namespace filecall
