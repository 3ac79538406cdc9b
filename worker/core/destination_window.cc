// SPDX-License-Identifier: MIT
#include "worker/core/destination_window.h"

#include <algorithm>

#include "base/check.h"

namespace filecall::worker {
namespace {

/// A peer that asks for more is asked again after this long; the answer tells what it wanted.
constexpr Duration kPauseMax = seconds(600);
/// Of a peer that refuses and does not say for how long; doubled with each refusal in a row.
constexpr Duration kOwnPauseMin = milliseconds(250);
constexpr Duration kOwnPauseMax = seconds(10);

constexpr double kForgivenEvery = 30;  ///< Successes that make up for one refusal.
constexpr double kForgivenessMax = 4;
constexpr double kGrowthMin = 0.2;
/// The window grows only when this share of it is used.
constexpr double kUsedShare = 0.8;

Duration own_pause(int refused_in_row) {
  Duration pause = kOwnPauseMin;
  for (int i = 1; i < refused_in_row && pause < kOwnPauseMax; ++i) pause *= 2;
  return std::min(pause, kOwnPauseMax);
}

}  // namespace

DestinationWindow::DestinationWindow(const DestinationLimits& limits, MonotonicTime now)
    : limits_(limits), window_(limits.concurrency), growth_(kGrowthMin) {
  CHECK(limits.concurrency >= 1, "a destination without concurrency would never be served");
  if (limits.rate_per_s > 0) bucket_.emplace(limits.rate_per_s, limits.burst, now);
  if (limits.tokens_per_s > 0) tokens_.emplace(limits.tokens_per_s, limits.tokens_burst, now);
}

bool DestinationWindow::has_room(MonotonicTime now) {
  return in_flight_ < window() && now >= paused_until_ && (!bucket_ || bucket_->has_token(now)) &&
         (!tokens_ || tokens_->has_token(now));
}

Deadline DestinationWindow::next_room(MonotonicTime now) {
  if (in_flight_ >= window()) return Deadline::never();
  MonotonicTime when = std::max(now, paused_until_);
  if (bucket_) when = std::max(when, bucket_->next_token(now));
  if (tokens_) when = std::max(when, tokens_->next_token(now));
  return Deadline::at(when);
}

std::uint64_t DestinationWindow::start(MonotonicTime now, double tokens) {
  CHECK(has_room(now), "ask for room before starting");
  if (bucket_) bucket_->take(now);
  if (tokens_) tokens_->take(now, tokens);
  ++in_flight_;
  return next_ticket_++;
}

void DestinationWindow::take_back(double tokens) {
  CHECK(in_flight_ > 0, "only what started can be taken back");
  --in_flight_;
  if (bucket_) bucket_->give_back(1);
  if (tokens_) tokens_->give_back(tokens);
}

void DestinationWindow::finish(std::uint64_t ticket, Feedback feedback,
                               std::optional<Duration> retry_after, MonotonicTime now) {
  CHECK(in_flight_ > 0, "only what started can finish");
  if (feedback == Feedback::kSuccess) note_success(ticket);
  if (feedback == Feedback::kOverload) note_refusal(ticket, retry_after, now);
  // No pause: what ends here gives its part back at once, and nobody said when to come back.
  if (feedback == Feedback::kShortage) window_ = std::max(1.0, window_ - 1);
  --in_flight_;
}

void DestinationWindow::note_success(std::uint64_t ticket) {
  forgiveness_ = std::min(kForgivenessMax, forgiveness_ + 1 / kForgivenEvery);
  if (ticket >= first_after_refusal_) {
    has_coped_since_ = true;
    refused_in_row_ = 0;
  }
  if (in_flight_ < kUsedShare * window()) return;
  window_ = std::min<double>(limits_.concurrency, window_ + growth_ / window_);
  if (++clean_ < window_) return;
  clean_ = 0;
  growth_ = std::min(2 * growth_, window_);
}

void DestinationWindow::note_refusal(std::uint64_t ticket, std::optional<Duration> retry_after,
                                     MonotonicTime now) {
  if (forgiveness_ >= 1) {
    --forgiveness_;
    return;
  }
  window_ = std::max(1.0, window_ - 1);
  growth_ = kGrowthMin;
  clean_ = 0;
  const bool is_new = ticket >= first_after_refusal_;
  const bool refuses_all = is_new && !has_coped_since_;
  if (is_new) {
    first_after_refusal_ = next_ticket_;
    has_coped_since_ = false;
  }
  if (!refuses_all && window_ >= 2) return;
  if (is_new) ++refused_in_row_;
  const Duration pause =
      retry_after ? std::min(*retry_after, kPauseMax) : own_pause(refused_in_row_);
  paused_until_ = std::max(paused_until_, now + pause);
}

}  // namespace filecall::worker
