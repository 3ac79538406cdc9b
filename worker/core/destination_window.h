// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "worker/core/token_bucket.h"

namespace filecall::worker {

/// What is configured for one destination (a provider, a cluster, a tool class).
struct DestinationLimits {
  int concurrency = 4;      ///< >= 1: commands in flight at most.
  double rate_per_s = 0;    ///< Starts per second; 0: unlimited.
  double burst = 1;         ///< Starts that may come at once; >= 1.
  double tokens_per_s = 0;  ///< What starts may cost in a second (ExecutionPlan); 0: unlimited.
  double tokens_burst = 1;  ///< What may be spent at once; >= 1.
};

/// How a finished command speaks about its destination.
enum class Feedback : std::uint8_t {
  kSuccess,   ///< It coped: the window may grow.
  kOverload,  ///< It said "too much" (429, 503, resource_exhausted): halve.
  kNeutral,   ///< Says nothing about load (bad input, cancelled).
};

/// Flow control towards one destination: a concurrency limit, a window below it that is learned
/// (halved on overload, grown by one per window of successes: AIMD, as in Postfix's qmgr_feedback),
/// a token bucket, and a pause until the instant that an overloaded destination asked for. It only
/// delays starts. Pure.
class DestinationWindow {
 public:
  DestinationWindow(const DestinationLimits& limits, MonotonicTime now);

  /// Whether one more command may start now.
  bool has_room(MonotonicTime now);
  /// When time alone will make room; never when a finish must come first.
  Deadline next_room(MonotonicTime now);
  /// Starting without room is a programmer error. The returned ticket goes back with the finish.
  /// `tokens` may be more than there are: then later starts wait until the debt is paid.
  std::uint64_t start(MonotonicTime now, double tokens = 0);
  /// The start was not made after all, and did not cost `tokens`.
  void take_back(double tokens = 0);
  void finish(std::uint64_t ticket, Feedback feedback, std::optional<Duration> retry_after,
              MonotonicTime now);

  int in_flight() const { return in_flight_; }
  /// Commands that may be in flight now: 1..concurrency.
  int window() const { return static_cast<int>(window_); }
  int concurrency() const { return limits_.concurrency; }
  /// Nothing starts before this instant.
  MonotonicTime paused_until() const { return paused_until_; }

 private:
  DestinationLimits limits_;
  std::optional<TokenBucket> bucket_;
  std::optional<TokenBucket> tokens_;
  double window_;
  int in_flight_ = 0;
  std::uint64_t next_ticket_ = 0;
  /// Tickets below it started before the last halving: their overload is old news.
  std::uint64_t first_ticket_after_halving_ = 0;
  MonotonicTime paused_until_{};
};

}  // namespace filecall::worker
