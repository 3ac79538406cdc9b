// SPDX-License-Identifier: MIT
#include "client/core/run_limits.h"

#include <fmt/core.h>

namespace filecall::client {
namespace {

std::optional<std::string> reached(const RunLimits& limits, const RunTotals& totals) {
  if (limits.errors && totals.errors >= *limits.errors) {
    return fmt::format("{} requests were given up (--max-errors {})", totals.errors,
                       *limits.errors);
  }
  if (limits.tokens && totals.spend.tokens() >= *limits.tokens) {
    return fmt::format("{} tokens were used (--max-tokens {})", totals.spend.tokens(),
                       *limits.tokens);
  }
  if (limits.cost && totals.spend.cost >= *limits.cost) {
    return fmt::format("US$ {:.4f} were spent (--max-cost {})", totals.spend.cost, *limits.cost);
  }
  if (limits.cost && totals.spend.unpriced > 0) {
    return fmt::format(
        "{} answers have no price, so --max-cost cannot be kept; give --prices, or "
        "prices in the worker's configuration",
        totals.spend.unpriced);
  }
  return std::nullopt;
}

}  // namespace

AdmissionVerdict admit(const RunLimits& limits, const RunTotals& totals) {
  if (auto reason = reached(limits, totals)) return {Admission::kStop, std::move(*reason)};
  if (totals.in_flight == 0 || (!limits.cost && !limits.tokens)) return {};
  const Spend& spend = totals.spend;
  if (spend.calls == 0) {
    // What used nothing is no call of a language model.
    const bool is_blind = totals.unused == 0 && totals.in_flight >= kBlindCallsMax;
    return {is_blind ? Admission::kHold : Admission::kGo, {}};
  }
  const double share =
      1.0 + static_cast<double>(totals.in_flight) / static_cast<double>(spend.calls);
  const bool may_reach = (limits.cost && spend.cost * share >= *limits.cost) ||
                         (limits.tokens && static_cast<double>(spend.tokens()) * share >=
                                               static_cast<double>(*limits.tokens));
  return {may_reach ? Admission::kHold : Admission::kGo, {}};
}

}  // namespace filecall::client
