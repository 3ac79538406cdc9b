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
  kOverload,  ///< It said "too much" (429, 503).
  kShortage,  ///< This machine lacks what a start needs (descriptors, memory): fewer at once.
  kNeutral,   ///< Says nothing about load (bad input, cancelled).
};

/// Flow control towards one destination: a concurrency limit, a window below it that is learned, a
/// token bucket, and pauses. It only delays starts. Pure.
///
/// The window. Each refusal takes one place away: of a burst beyond what the destination takes at
/// once, as many are refused as were too many. Few refusals among many successes change nothing
/// (one in kForgivenEvery): such a destination refuses now and then whatever is asked of it, or the
/// window is as large as it takes. Growth begins slowly after a refusal and doubles with every
/// window of successes without one, so that a destination that is at its limit is asked for a
/// little more, and one that has room again is soon used.
///
/// Pauses. Who is refused with a time waits for that long by itself (the client repeats it then).
/// All others wait, too, when the destination refuses what began after an earlier refusal was
/// known, and nothing of that succeeded; or when there is no place left to take away.
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
  void note_success(std::uint64_t ticket);
  void note_refusal(std::uint64_t ticket, std::optional<Duration> retry_after, MonotonicTime now);

  DestinationLimits limits_;
  std::optional<TokenBucket> bucket_;
  std::optional<TokenBucket> tokens_;
  double window_;
  int in_flight_ = 0;
  std::uint64_t next_ticket_ = 0;
  double forgiveness_ = 0;  ///< Refusals that earlier successes make up for.
  double growth_;           ///< Places that the next window of successes adds.
  double clean_ = 0;        ///< Successes since growth_ was doubled.
  /// Tickets from here on began after the last refusal that was not forgiven.
  std::uint64_t first_after_refusal_ = 0;
  bool has_coped_since_ = false;  ///< One of those succeeded.
  int refused_in_row_ = 0;        ///< Refusals of such ones without a success between.
  MonotonicTime paused_until_{};
};

}  // namespace filecall::worker
