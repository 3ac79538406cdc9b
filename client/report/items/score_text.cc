// SPDX-License-Identifier: MIT
#include "client/report/items/score_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/report/text_layout.h"

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
  if (!repeats.pass_at_k.value) return "-";
  return fmt::format("pass@{} {:.2f}, pass^{} {:.2f}", repeats.k, *repeats.pass_at_k.value,
                     repeats.k, *repeats.pass_hat_k.value);
}

std::string no_grade_text(OutcomeCounts counts, NoGrade why) {
  const std::int64_t count = counts.of(why);
  if (count == 0) return "-";
  return human_count(count) + (counts.is_zero.at(static_cast<std::size_t>(why)) ? " as 0" : "");
}

std::string cost_text(const UsageSums& usage) {
  if (usage.priced == 0) return usage.unpriced == 0 ? "-" : "unknown";
  return human_cost(usage.cost) + (usage.unpriced == 0 ? "" : " + unknown");
}

std::string known_table(const std::vector<std::vector<std::string>>& rows,
                        const std::vector<std::size_t>& number_columns) {
  std::vector<std::vector<std::string>> kept(rows.size());
  std::vector<std::size_t> numbers;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    const bool is_known = std::any_of(rows.begin() + 1, rows.end(),
                                      [&](const auto& row) { return row[column] != "-"; });
    if (!is_known) continue;
    const auto is_number = std::find(number_columns.begin(), number_columns.end(), column);
    if (is_number != number_columns.end()) numbers.push_back(kept.front().size());
    for (std::size_t i = 0; i < rows.size(); ++i) kept[i].push_back(rows[i][column]);
  }
  return table(kept, numbers);
}

std::string pending_sentence(std::int64_t pending, std::int64_t total) {
  return fmt::format(
      "{} of {} requests have not ended, and a threshold asks about all; the same 'filecall run' "
      "again goes on with them, --allow-pending leaves them out",
      pending, total);
}

std::string ungraded_sentence(std::int64_t never_graded, std::int64_t total) {
  return fmt::format(
      "{} of {} responses were never graded, and a threshold asks about all; the same 'filecall "
      "eval' again goes on with them, --allow-pending leaves them out",
      never_graded, total);
}

std::string versions_sentence(const ReportTally& tally) {
  const std::size_t versions = tally.spec_digests().size();
  if (versions < 2) return {};
  return fmt::format(
      "The grades are by {}{} versions of the specification: some are older than its last change; "
      "'filecall eval' of the whole run makes them again.",
      versions, versions == ReportTally::kSpecsMax ? " or more" : "");
}

std::string problem_names(const ReportTally& tally) {
  std::string names;
  for (const std::string& id : tally.evaluation_problem_ids()) {
    names += (names.empty() ? "" : ", ") + one_line(id, 60);
  }
  const auto named = static_cast<std::int64_t>(tally.evaluation_problem_ids().size());
  return tally.evaluation_problems() > named ? names + ", ..." : names;
}

std::string p_text(const std::optional<double>& p_value) {
  if (!p_value) return "-";
  return *p_value < 0.001 ? "<0.001" : fmt::format("{:.3f}", *p_value);
}

}  // namespace filecall::client
