// SPDX-License-Identifier: MIT
#include "client/report/items/score_text.h"

#include <fmt/core.h>

#include <cmath>

namespace filecall::client {

std::string score_text(const Estimate& estimate) {
  if (!estimate.value) return "-";
  if (!estimate.standard_error) return fmt::format("{:.3f}", *estimate.value);
  return fmt::format("{:.3f} ±{:.3f}", *estimate.value, *estimate.standard_error);
}

std::string interval_text(const Estimate& estimate) {
  if (!estimate.interval) return "-";
  return fmt::format("{:.3f} to {:.3f}", estimate.interval->low, estimate.interval->high);
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

std::string percent_interval_text(const Estimate& estimate) {
  if (!estimate.interval) return "-";
  return fmt::format("{:.1f} to {:.1f}", estimate.interval->low * 100,
                     estimate.interval->high * 100);
}

std::string repeats_text(const RepeatEstimate& repeats) {
  if (repeats.k <= 1 || !repeats.pass_at_k.value) return "-";
  return fmt::format("pass@{} {:.2f}, pass^{} {:.2f}", repeats.k, *repeats.pass_at_k.value,
                     repeats.k, *repeats.pass_hat_k.value);
}

std::string cost_text(double dollars) {
  if (dollars == 0 || std::abs(dollars) >= 0.01) return fmt::format("${:.2f}", dollars);
  return fmt::format("${:.2g}", dollars);
}

std::string p_text(const std::optional<double>& p_value) {
  if (!p_value) return "-";
  return *p_value < 0.001 ? "<0.001" : fmt::format("{:.3f}", *p_value);
}

}  // namespace filecall::client
