// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace filecall {

using Duration = std::chrono::nanoseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A clock without now(): pure code receives time as an argument, only os/clock.h reads it.
struct MonotonicClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
/// Instant of CLOCK_MONOTONIC: for waiting and measuring; means nothing outside this boot.
using MonotonicTime = MonotonicClock::time_point;
/// Instant of CLOCK_REALTIME: for people and files; may jump, so nothing waits on it.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// RFC 3339 in UTC with milliseconds, e.g. "2026-11-20T22:31:27.104Z".
std::string format_rfc3339(WallTime time);
/// Accepts what format_rfc3339 writes, any fraction and any numeric offset. nullopt if malformed or
/// outside the years 1970 to 2261: the difference of any two is a Duration.
std::optional<WallTime> parse_rfc3339(std::string_view text);

inline std::int64_t to_ms(Duration d) {
  return std::chrono::duration_cast<milliseconds>(d).count();
}

/// The instant by which something must be done; a value that is passed down, so that every layer
/// sees the time that is left and not a fresh allowance. Never reached when default-constructed.
class Deadline {
 public:
  Deadline() = default;
  static Deadline never() { return {}; }
  static Deadline at(MonotonicTime when) { return Deadline(when); }
  /// Saturates instead of overflowing for huge durations.
  static Deadline after(MonotonicTime now, Duration left) {
    return left > MonotonicTime::max() - now ? never() : Deadline(now + left);
  }

  bool is_never() const { return when_ == MonotonicTime::max(); }
  bool is_reached(MonotonicTime now) const { return !is_never() && now >= when_; }
  /// Zero once reached; Duration::max() for never.
  Duration time_left(MonotonicTime now) const {
    if (is_never()) return Duration::max();
    return now >= when_ ? Duration::zero() : when_ - now;
  }
  MonotonicTime when() const { return when_; }

  auto operator<=>(const Deadline&) const = default;

 private:
  explicit Deadline(MonotonicTime when) : when_(when) {}
  MonotonicTime when_ = MonotonicTime::max();
};

}  // namespace filecall
