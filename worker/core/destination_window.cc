// SPDX-License-Identifier: MIT
#include "worker/core/destination_window.h"

#include <algorithm>

#include "base/check.h"

namespace filecall::worker {
namespace {

/// A peer that asks for more is asked again after this long; the answer tells what it wanted.
constexpr Duration kPauseMax = seconds(600);

}  // namespace

DestinationWindow::DestinationWindow(const DestinationLimits& limits, MonotonicTime now)
    : limits_(limits), window_(limits.concurrency) {
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
  --in_flight_;
  switch (feedback) {
    case Feedback::kSuccess:
      window_ = std::min<double>(limits_.concurrency, window_ + 1.0 / window_);
      break;
    case Feedback::kOverload:
      if (ticket >= first_ticket_after_halving_) {
        window_ = std::max(1.0, window_ / 2);
        first_ticket_after_halving_ = next_ticket_;
      }
      if (retry_after) {
        paused_until_ = std::max(paused_until_, now + std::min(*retry_after, kPauseMax));
      }
      break;
    case Feedback::kNeutral:
      break;
  }
}

}  // namespace filecall::worker
