// SPDX-License-Identifier: MIT
#include "client/core/run_limits.h"

#include <fmt/core.h>

#include "base/count_text.h"

namespace filecall::client {
namespace {

std::optional<std::string> reached(const RunLimits& limits, const RunTotals& totals) {
  if (limits.errors && totals.errors >= *limits.errors) {
    return fmt::format("{} given up (--max-errors {})",
                       counted_noun(totals.errors, "request was", "requests were"), *limits.errors);
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
        counted_noun(totals.spend.unpriced, "response has", "responses have"));
  }
  return std::nullopt;
}

}  // namespace

AdmissionVerdict admit(const RunLimits& limits, const RunTotals& totals) {
  if (auto reason = reached(limits, totals)) return {Admission::kStop, std::move(*reason)};
  return {};
}

}  // namespace filecall::client
