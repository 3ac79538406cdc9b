// SPDX-License-Identifier: MIT
#include "client/engine/run_stop.h"

#include <fmt/core.h>

namespace filecall::client {
namespace {

/// For a worker to answer that it gives requests back.
constexpr Duration kPatience = seconds(2);

std::string calls_text(std::int64_t count) {
  return fmt::format("{} call{}", count, count == 1 ? "" : "s");
}

}  // namespace

void RunStop::begin(RunId run, CancelWish wish, MonotonicTime now) {
  has_begun_ = true;
  wish_ = wish;
  is_heard_ = false;
  patience_ = Deadline::after(now, kPatience);
  driver_.stop_run(run);
  driver_.withdraw(run, wish);
}

bool RunStop::is_over(const Intake& intake, MonotonicTime now) {
  const RunId run = intake.run();
  if (!intake.is_withdrawn()) return true;
  if (!has_begun_) {
    begin(run, CancelWish::kWithdrawWaiting, now);
  } else if (interruption_.is_urgent() && wish_ != CancelWish::kWithdraw) {
    const std::int64_t running = driver_.running(run);
    if (running > 0) notice_(calls_text(running) + " ended in flight; they may be billed");
    begin(run, CancelWish::kWithdraw, now);
  }
  if (driver_.is_at_rest(run)) return true;
  if (!patience_.is_reached(now)) return false;
  if (is_heard_) return false;
  is_heard_ = wish_ == CancelWish::kWithdrawWaiting && driver_.is_withdrawal_heard(run, wish_);
  const std::int64_t running = driver_.running(run);
  patience_ = Deadline::never();
  if (!is_heard_) {
    if (running > 0) {
      notice_(calls_text(running) + " are left to the worker; they may run and be billed");
    }
    return true;
  }
  notice_("waiting for " + calls_text(running) + " in flight; interrupt again to end them");
  return false;
}

}  // namespace filecall::client
