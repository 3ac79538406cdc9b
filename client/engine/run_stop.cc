// SPDX-License-Identifier: MIT
#include "client/engine/run_stop.h"

#include <fmt/core.h>

#include "base/count_text.h"

namespace filecall::client {
namespace {

/// For a worker to answer one more of the cancel requests.
constexpr Duration kPatience = seconds(3);
/// For what is being ended: a tool has its grace before it is killed.
constexpr Duration kEndPatience = seconds(15);
constexpr Duration kStopLookEvery = milliseconds(100);

}  // namespace

void RunStop::begin(RunId run, CancelWish wish, MonotonicTime now) {
  has_begun_ = true;
  has_said_ = false;
  wish_ = wish;
  driver_.stop_run(run);
  driver_.withdraw(run, wish);
  unheard_ = driver_.running(run);
  patience_ = Deadline::after(now, kPatience);
  next_look_ = now + kStopLookEvery;
}

bool RunStop::is_over(const Intake& intake, bool has_worker, MonotonicTime now) {
  const RunId run = intake.run();
  if (!intake.is_withdrawn()) return true;
  if (!has_begun_) begin(run, CancelWish::kWithdrawWaiting, now);
  if (interruption_.is_urgent() && wish_ != CancelWish::kWithdraw) {
    begin(run, CancelWish::kWithdraw, now);
  }
  if (!driver_.is_at_rest(run)) {
    if (now < next_look_) return false;
    next_look_ = now + kStopLookEvery;
    if (has_worker && is_heard(run, now)) return false;
  }
  conclude(run);
  return true;
}

bool RunStop::is_heard(RunId run, MonotonicTime now) {
  const std::int64_t unheard = driver_.unheard(run, wish_);
  const bool is_last = unheard == 0 && !has_said_;
  if (unheard < unheard_) patience_ = Deadline::after(now, kPatience);
  unheard_ = unheard;
  if (!is_last) return !patience_.is_reached(now);
  has_said_ = true;
  if (wish_ == CancelWish::kWithdraw) {
    patience_ = Deadline::after(now, kEndPatience);
    return true;
  }
  patience_ = Deadline::never();
  const std::int64_t running = driver_.running(run);
  if (running == 0) return true;  // Its row is being written.
  notice_(fmt::format("interrupted: waiting for {} in flight; interrupt again to end {}",
                      counted_noun(running, "request"), running == 1 ? "it" : "them"));
  return true;
}

void RunStop::conclude(RunId run) {
  const std::int64_t left = driver_.running(run);
  if (left > 0 && !has_seen_worker_) {
    notice_(fmt::format("interrupted: no worker was seen; {} stay{} in requests/ for the next one",
                        counted_noun(left, "request"), left == 1 ? "s" : ""));
  } else if (left > 0) {
    notice_(
        fmt::format("interrupted: the worker did not give back {}; calls of a model among them "
                    "may run and be billed",
                    counted_noun(left, "request")));
  }
  if (const std::int64_t ended = driver_.counts(run).maybe_billed; ended > 0) {
    notice_(fmt::format("interrupted: {} ended in flight; {} may be billed",
                        counted_noun(ended, "call"), ended == 1 ? "it" : "they"));
  }
}

}  // namespace filecall::client
