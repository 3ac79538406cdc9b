// SPDX-License-Identifier: MIT
#include "client/report/items/score_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
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
      "{} {} not ended, and a threshold asks about all; the same 'filecall run' again goes on with "
      "{}, --allow-pending leaves {} out",
      part_of(pending, total, "request"), one_or_many(pending, "has", "have"),
      one_or_many(pending, "it", "them"), one_or_many(pending, "it", "them"));
}

std::string ungraded_sentence(std::int64_t never_graded, std::int64_t total) {
  return fmt::format(
      "{} {} never graded, and a threshold asks about all; the same 'filecall eval' again goes on "
      "with {}, --allow-pending leaves {} out",
      part_of(never_graded, total, "response"), one_or_many(never_graded, "was", "were"),
      one_or_many(never_graded, "it", "them"), one_or_many(never_graded, "it", "them"));
}

std::string given_up_sentence(std::int64_t given_up, std::int64_t other_form,
                              std::string_view how) {
  const std::string uncounted =
      other_form == 0
          ? ""
          : fmt::format(" ({} of another form {} not counted by it)",
                        counted_noun(other_form, "response"), one_or_many(other_form, "is", "are"));
  return fmt::format("{} given up; {}, --max-error-rate says how many are fine{}",
                     counted_noun(given_up, "request was", "requests were"), how, uncounted);
}

std::string missing_sentence(std::int64_t missing) {
  return fmt::format(
      "{} not there any more (removed by gc, or changed or removed by somebody); the figures are "
      "without {}",
      counted_noun(missing, "answer is", "answers are"), one_or_many(missing, "it", "them"));
}

std::string lacking_replies_sentence(std::int64_t responses) {
  return fmt::format(
      "{} ungraded because a judge or a program was given up; 'filecall retry --failed' asks "
      "again, then the same 'filecall eval' grades {}",
      counted_noun(responses, "response is", "responses are"),
      one_or_many(responses, "it", "them"));
}

std::string lacking_verdicts_sentence(std::int64_t pairs) {
  return fmt::format(
      "{} no verdict because a judge was given up; 'filecall retry --failed' asks again, then the "
      "same 'filecall eval' judges {}",
      counted_noun(pairs, "pair has", "pairs have"), one_or_many(pairs, "it", "them"));
}

std::string versions_sentence(const ReportTally& tally) {
  const std::size_t versions = tally.spec_digests().size();
  if (versions < 2) return {};
  return fmt::format(
      "The grades are by {}{} versions of the specification: some are older than its last change; "
      "'filecall eval' of the whole run makes them again.",
      versions, versions == ReportTally::kSpecsMax ? " or more" : "");
}

std::string problems_sentence(const ReportTally& tally) {
  const std::int64_t count = tally.evaluation_problems();
  return fmt::format(
      "{} not count: {} replaced, by labels or metadata that were changed (as by another name of "
      "the "
      "prompt), or unreadable",
      counted_noun(count, "evaluation does", "evaluations do"),
      one_or_many(count, "it is of an answer that was", "they are of answers that were"));
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
