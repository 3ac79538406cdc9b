// SPDX-License-Identifier: MIT
#include "client/eval/call_graders.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/duration.h"

namespace filecall::client {
namespace {

/// A sum of prices is not exact in its last digits.
constexpr double kCostSlack = 1e-9;
/// What a response says may be any number: thirty years.
constexpr std::int64_t kRunMsMax = 1'000'000'000'000;

/// Those of the turn that a grader looks at; an answer that is no conversation has one turn.
std::vector<CallFigures> calls_of(const Subject& subject, int turn) {
  if (turn == kAllTurns || !subject.turns.is_array()) return subject.calls;
  int wanted = turn;
  for (const CallFigures& call : subject.calls) {
    if (turn == kLastTurn) wanted = std::max(wanted, call.turn);
  }
  std::vector<CallFigures> calls;
  for (const CallFigures& call : subject.calls) {
    if (call.turn == wanted) calls.push_back(call);
  }
  return calls;
}

bool has_cached(const std::vector<CallFigures>& calls) {
  return std::any_of(calls.begin(), calls.end(), [](const CallFigures& c) { return c.is_cached; });
}

class LatencyGrader final : public Grader {
 public:
  LatencyGrader(GraderSettings settings, Duration max) : Grader(std::move(settings)), max_(max) {}

 private:
  Judgement judge(const Subject& subject, std::span<const Reply>) const override {
    const std::vector<CallFigures> calls = calls_of(subject, settings().turn);
    if (has_cached(calls)) {
      return Judgement::none("the response came from a cache: nobody waited for the model");
    }
    std::int64_t ms = 0;
    bool is_known = !calls.empty();
    for (const CallFigures& call : calls) {
      is_known = is_known && call.run_ms.has_value();
      ms += std::clamp<std::int64_t>(call.run_ms.value_or(0), 0, kRunMsMax);
    }
    if (!is_known) return Judgement::none("the response does not say how long the call took");
    const bool is_good = std::chrono::duration<double, std::milli>(ms) <= max_;
    Judgement judgement =
        Judgement::of(is_good, fmt::format("took {} ms; at most {}", ms, format_duration(max_)));
    judgement.details = {{"run_ms", ms}, {"calls", calls.size()}};
    return judgement;
  }

  Duration max_;
};

class CostGrader final : public Grader {
 public:
  CostGrader(GraderSettings settings, double max_usd)
      : Grader(std::move(settings)), max_usd_(max_usd) {}

 private:
  Judgement judge(const Subject& subject, std::span<const Reply>) const override {
    const std::vector<CallFigures> calls = calls_of(subject, settings().turn);
    if (has_cached(calls)) {
      return Judgement::none("the response came from a cache: it does not show what a call costs");
    }
    double cost = 0;
    bool is_known = !calls.empty();
    for (const CallFigures& call : calls) {
      is_known = is_known && call.cost.has_value();
      cost += call.cost.value_or(0);
    }
    if (!is_known) {
      return Judgement::none(
          "nobody knows what the call cost: the response does not say it, and there is no price; "
          "give --prices, or a price in the worker's configuration");
    }
    const bool is_good = cost <= max_usd_ * (1 + kCostSlack);
    Judgement judgement =
        Judgement::of(is_good, fmt::format("cost US$ {:.6g}; at most {:.6g}", cost, max_usd_));
    judgement.details = {{"cost", cost}, {"calls", calls.size()}};
    return judgement;
  }

  double max_usd_;
};

}  // namespace

std::unique_ptr<Grader> make_latency_grader(GraderSettings settings, Duration max) {
  settings.is_of_call = true;
  return std::make_unique<LatencyGrader>(std::move(settings), max);
}

std::unique_ptr<Grader> make_cost_grader(GraderSettings settings, double max_usd) {
  settings.is_of_call = true;
  return std::make_unique<CostGrader>(std::move(settings), max_usd);
}

bool depends_on_prices(const GraderSettings& settings) { return settings.kind == "cost"; }

}  // namespace filecall::client
