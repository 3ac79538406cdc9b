// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "base/random.h"
#include "worker/core/destination_window.h"

namespace filecall::worker {
namespace {

constexpr MonotonicTime kSimulationBegin{seconds(1000)};
constexpr Duration kSimulated = seconds(100);
constexpr Duration kRefusalTime = milliseconds(100);
constexpr int kPlaces = 64;

/// How a provider of models limits its callers.
struct ProviderRules {
  std::string name;
  Duration latency = seconds(1);
  int concurrency = 1000;  ///< Calls at once.
  double rate_per_s = 0;   ///< Of a token bucket; 0: none.
  double burst = 1;
  /// Calls in each second; the first one beyond them closes the door to all for `retry_after`.
  int per_second = 0;
  double sporadic = 0;  ///< Share of calls that are refused whatever the load.
  /// What a refusal asks for; of a bucket its next token, rounded up to this.
  std::optional<Duration> retry_after{};
  MonotonicTime changes_at =
      kSimulationBegin + kSimulated;  ///< From then on `then_concurrency` counts.
  int then_concurrency = 1000;
};

class SimulatedProvider {
 public:
  explicit SimulatedProvider(const ProviderRules& rules) : rules_(rules), random_(11) {
    if (rules.rate_per_s > 0) bucket_.emplace(rules.rate_per_s, rules.burst, kSimulationBegin);
  }
  /// When the call ends, whether it was taken, and what a refusal asks for.
  struct Reply {
    MonotonicTime when;
    bool is_taken;
    std::optional<Duration> retry_after{};
  };
  Reply call(MonotonicTime now) {
    const int limit = now < rules_.changes_at ? rules_.concurrency : rules_.then_concurrency;
    const bool is_unlucky =
        rules_.sporadic > 0 &&
        random_.below(100'000) < static_cast<std::uint64_t>(rules_.sporadic * 100'000);
    if (rules_.per_second > 0 && is_closed(now)) {
      return {now + kRefusalTime, false, closed_until_ - now};
    }
    if (is_unlucky || in_flight_ >= limit || (bucket_ && !bucket_->has_token(now))) {
      return {now + kRefusalTime, false, wait(now)};
    }
    if (bucket_) bucket_->take(now);
    ++in_flight_;
    const auto spread = static_cast<std::uint64_t>(rules_.latency.count());
    return {now + rules_.latency / 2 + Duration(static_cast<std::int64_t>(random_.below(spread))),
            true};
  }
  void end() { --in_flight_; }

 private:
  bool is_closed(MonotonicTime now) {
    if (now < closed_until_) return true;
    if (now >= second_began_ + seconds(1) || closed_until_ > second_began_) {
      second_began_ = now;
      in_second_ = 0;
    }
    if (++in_second_ <= rules_.per_second) return false;
    closed_until_ = now + rules_.retry_after.value();
    return true;
  }
  std::optional<Duration> wait(MonotonicTime now) {
    if (!rules_.retry_after || !bucket_) return rules_.retry_after;
    const Duration step = *rules_.retry_after;
    return ((bucket_->next_token(now) - now) / step + 1) * step;
  }

  const ProviderRules& rules_;
  Random random_;
  std::optional<TokenBucket> bucket_;
  int in_flight_ = 0;
  int in_second_ = 0;
  MonotonicTime second_began_ = kSimulationBegin;
  MonotonicTime closed_until_ = kSimulationBegin;
};

/// Flow control under test, or the fixed setting that it is measured by.
class FlowControl {
 public:
  explicit FlowControl(std::optional<int> fixed)
      : fixed_(fixed), window_({.concurrency = fixed.value_or(kPlaces)}, kSimulationBegin) {}
  bool has_room(MonotonicTime now) { return window_.has_room(now); }
  std::uint64_t start(MonotonicTime now) { return window_.start(now); }
  void finish(std::uint64_t ticket, bool is_taken, std::optional<Duration> wait,
              MonotonicTime now) {
    const Feedback heard = is_taken ? Feedback::kSuccess : Feedback::kOverload;
    window_.finish(ticket, fixed_ ? Feedback::kNeutral : heard, wait, now);
  }
  Deadline next_room(MonotonicTime now) { return window_.next_room(now); }

 private:
  std::optional<int> fixed_;
  DestinationWindow window_;
};

struct Ending {
  SimulatedProvider::Reply reply;
  std::uint64_t ticket;
  bool operator>(const Ending& other) const { return reply.when > other.reply.when; }
};

struct Tally {
  int taken = 0;
  int refused = 0;
};

/// There is always something to ask; who was refused comes again after its time.
Tally simulate(const ProviderRules& rules, std::optional<int> fixed) {
  SimulatedProvider provider(rules);
  FlowControl flow(fixed);
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  Tally tally;
  MonotonicTime now = kSimulationBegin;
  while (now < kSimulationBegin + kSimulated) {
    while (flow.has_room(now)) {
      const std::uint64_t ticket = flow.start(now);
      endings.push({provider.call(now), ticket});
    }
    const Deadline room = flow.next_room(now);
    if (!room.is_never() && (endings.empty() || room.when() < endings.top().reply.when)) {
      now = room.when();
      continue;
    }
    const auto [reply, ticket] = endings.top();
    endings.pop();
    now = reply.when;
    if (reply.is_taken) provider.end();
    reply.is_taken ? ++tally.taken : ++tally.refused;
    flow.finish(ticket, reply.is_taken, reply.retry_after, now);
  }
  return tally;
}

std::vector<ProviderRules> settings() {
  const auto second = seconds(1);
  return {
      {.name = "nothing refused"},
      {.name = "0.5 % refused", .latency = milliseconds(2300), .sporadic = 0.0053},
      {.name = "0.5 % refused, with a time",
       .latency = milliseconds(2300),
       .sporadic = 0.0053,
       .retry_after = seconds(2)},
      {.name = "2 % refused, with a time", .sporadic = 0.02, .retry_after = seconds(5)},
      {.name = "ten at once", .concurrency = 10},
      {.name = "ten at once, with a time", .concurrency = 10, .retry_after = second},
      {.name = "fifty at once", .concurrency = 50, .retry_after = second},
      {.name = "three at once", .concurrency = 3},
      {.name = "ten a second", .rate_per_s = 10, .burst = 10, .retry_after = second},
      {.name = "ten a second, without a time", .rate_per_s = 10, .burst = 10},
      {.name = "forty a second", .rate_per_s = 40, .burst = 40, .retry_after = second},
      {.name = "500 a minute", .rate_per_s = 500.0 / 60, .burst = 500, .retry_after = second},
      {.name = "one in two seconds",
       .rate_per_s = 0.5,
       .burst = 1,
       .retry_after = milliseconds(100)},
      {.name = "room again",
       .concurrency = 4,
       .retry_after = second,
       .changes_at = kSimulationBegin + kSimulated / 8},
  };
}

TEST(WindowSimulation, ReachesNineTenthsOfTheBestFixedSetting) {
  for (const ProviderRules& rules : settings()) {
    Tally best;
    for (const int fixed : {1, 3, 10, 32, 50, kPlaces}) {
      const Tally tally = simulate(rules, fixed);
      if (tally.taken > best.taken) best = tally;
    }
    const Tally own = simulate(rules, std::nullopt);
    EXPECT_GE(own.taken, 0.9 * best.taken) << rules.name << ": " << own.taken << " of "
                                           << best.taken << ", " << own.refused << " refused";
  }
}

/// Whoever asks for more each second is shut out for a second, so a fixed setting is best where it
/// never asks for more, or where it hammers at the door; only the first is a measure here.
TEST(WindowSimulation, IsNotStuckBelowALimitThatClosesTheDoor) {
  const ProviderRules rules{.name = "fifty a second, then closed",
                            .latency = milliseconds(100),
                            .per_second = 50,
                            .retry_after = seconds(1)};
  Tally best;
  for (const int fixed : {1, 2, 3, 4, 5, 6}) {
    const Tally tally = simulate(rules, fixed);
    if (tally.refused < tally.taken && tally.taken > best.taken) best = tally;
  }
  const Tally own = simulate(rules, std::nullopt);
  EXPECT_GE(own.taken, 0.7 * best.taken)
      << own.taken << " of " << best.taken << ", " << own.refused << " refused";
  EXPECT_LE(own.refused, own.taken);
}

}  // namespace
}  // namespace filecall::worker
