// SPDX-License-Identifier: MIT
#include "worker/turn_loop.h"

#include <csignal>
#include <utility>

#include "base/check.h"
#include "loop/close_loop.h"

namespace filecall::worker {

TurnLoop::TurnLoop() {
  CHECK(uv_loop_init(&loop_) == 0, "a loop can be created at start");
  prepare_.data = check_.data = idle_.data = this;
  uv_prepare_init(&loop_, &prepare_);
  uv_check_init(&loop_, &check_);
  uv_idle_init(&loop_, &idle_);
  for (uv_signal_t& handle : signals_) {
    uv_signal_init(&loop_, &handle);
    handle.data = this;
  }
  // The turn is taken after the poll, and a timer that is due at once fires before it: without this
  // the poll would then wait for ever.
  timer_ = std::make_unique<LoopTimer>(&loop_, [this] { turn_again(); });
}

TurnLoop::~TurnLoop() {
  timer_.reset();
  close_loop(loop_);
}

void TurnLoop::listen(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  // What ends in the turn, or after it (in a handle's closing), made room and may have woken a
  // client: another turn follows before the loop waits.
  uv_prepare_start(&prepare_, [](uv_prepare_t* h) {
    auto* self = static_cast<TurnLoop*>(h->data);
    if (self->callbacks_.is_turn_wanted()) self->turn_again();
  });
  uv_check_start(&check_,
                 [](uv_check_t* h) { static_cast<TurnLoop*>(h->data)->callbacks_.turn(); });
  constexpr std::array<int, 4> kSignals = {SIGTERM, SIGINT, SIGUSR1, SIGHUP};
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    uv_signal_start(
        &signals_[i],
        [](uv_signal_t* h, int number) {
          static_cast<TurnLoop*>(h->data)->callbacks_.on_signal(number);
        },
        kSignals[i]);
  }
}

void TurnLoop::run() {
  turn_again();
  uv_run(&loop_, UV_RUN_DEFAULT);
}

void TurnLoop::turn_again() {
  uv_idle_start(&idle_, [](uv_idle_t*) {});
}

void TurnLoop::wait_until(Deadline wake, MonotonicTime now) {
  uv_idle_stop(&idle_);
  if (wake.is_never()) {
    timer_->stop();
  } else {
    uv_update_time(&loop_);
    timer_->start(wake.time_left(now));
  }
}

}  // namespace filecall::worker
