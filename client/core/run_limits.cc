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
        "{} no price, so --max-cost cannot be enforced; give --prices, or prices in the worker's "
        "configuration",
        totals.spend.unpriced == 1 ? "1 response has"
                                   : fmt::format("{} responses have", totals.spend.unpriced));
  }
  return std::nullopt;
}

}  // namespace

AdmissionVerdict admit(const RunLimits& limits, const RunTotals& totals) {
  if (auto reason = reached(limits, totals)) return {Admission::kStop, std::move(*reason)};
  return {};
}

}  // namespace filecall::client
