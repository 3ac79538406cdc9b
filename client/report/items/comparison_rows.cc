// SPDX-License-Identifier: MIT
#include "client/report/items/comparison_rows.h"

#include <fmt/core.h>

#include <cmath>
#include <tuple>

#include "base/count_text.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

using Rows = std::vector<std::vector<std::string>>;

void add_paired_row(const std::string& group, const std::string& what,
                    const PairedComparison& paired, Rows& rows) {
  if (paired.items == 0) {
    rows.push_back({group, what, "-", "-", "-", "-", "-", "-", "-", "-", "0"});
    return;
  }
  const std::string error =
      paired.standard_error ? fmt::format(" ±{:.3f}", *paired.standard_error) : "";
  const std::string interval = paired.interval ? signed_text(paired.interval->low) + " to " +
                                                     signed_text(paired.interval->high)
                                               : "-";
  rows.push_back({group, what, fmt::format("{:.3f}", paired.mean_a),
                  fmt::format("{:.3f}", paired.mean_b), signed_text(paired.difference) + error,
                  interval, p_text(paired.p_value), human_count(paired.wins),
                  human_count(paired.ties), human_count(paired.losses), human_count(paired.items)});
}

/// "a (not asked), b (error), 3 more": items that only A has a score of.
std::string missing_text(const RunComparison& comparison) {
  std::string names;
  for (const MissingItem& missing : comparison.missing) {
    names += fmt::format("{}{} of {} ({})", names.empty() ? "" : ", ", one_line(missing.item, 40),
                         one_line(group_key_label(comparison.pairs[missing.pair].b), 60),
                         missing.outcome_b.empty() ? "not asked" : missing.outcome_b);
  }
  const std::int64_t more =
      comparison.missing_count - static_cast<std::int64_t>(comparison.missing.size());
  if (more > 0) names += fmt::format("{}{} more", names.empty() ? "" : ", ", human_count(more));
  return names;
}

std::string names_of_groups(const std::vector<GroupKey>& keys) {
  std::string names;
  for (const GroupKey& key : keys) {
    names += (names.empty() ? "" : ", ") + one_line(group_key_label(key), 60);
  }
  return names;
}

}  // namespace

std::string signed_text(double value) {
  // What is rounded to nothing has no sign: not "-0.000".
  return fmt::format("{:+.3f}", std::abs(value) < 0.0005 ? 0.0 : value);
}

std::vector<std::vector<std::string>> paired_rows(const RunComparison& comparison) {
  Rows rows;
  for (const GroupPair& pair : comparison.pairs) {
    add_paired_row(one_line(pair_label(pair), 60), "score", pair.score, rows);
    add_paired_row("", "passed", pair.pass_rate, rows);
    if (pair.graders.size() < 2) continue;
    for (const auto& [name, paired] : pair.graders) {
      add_paired_row("", one_line(name, 30), paired, rows);
    }
  }
  if (comparison.pairs.size() > 1) add_paired_row("(all)", "score", comparison.all, rows);
  return rows;
}

std::vector<std::string> unpaired_sentences(const RunComparison& comparison) {
  std::vector<std::string> out;
  const PairedComparison& all = comparison.all;
  if (all.only_a + all.only_b > 0) {
    out.push_back(fmt::format("Not compared: {} that only A has graded, {} that only B has.",
                              counted_noun(all.only_a, "item"), human_count(all.only_b)));
  }
  if (comparison.missing_count > 0) {
    out.push_back("Missing in B, and failed for --fail-on-regression and --max-drop: " +
                  missing_text(comparison));
  }
  if (!comparison.only_a.empty()) {
    out.push_back("Only in A: " + names_of_groups(comparison.only_a));
  }
  if (!comparison.only_b.empty()) {
    out.push_back("Only in B: " + names_of_groups(comparison.only_b));
  }
  return out;
}

std::vector<std::string> side_heads() {
  return {"model",  "run",      "graded",  "errors", "refused",    "cut",
          "schema", "ungraded", "ran p50", "p99",    "tokens out", "cost"};
}

std::vector<std::vector<std::string>> side_rows(const RunComparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const GroupPair& pair : comparison.pairs) {
    for (const auto& [key, run, group] :
         {std::tuple(&pair.a, "A", &*pair.tally_a), std::tuple(&pair.b, "B", &*pair.tally_b)}) {
      const OutcomeCounts& counts = group->scores().counts();
      rows.push_back(
          {group_key_label(*key), run, human_count(counts.graded),
           no_grade_text(counts, NoGrade::kError), no_grade_text(counts, NoGrade::kRefusal),
           no_grade_text(counts, NoGrade::kTruncated),
           no_grade_text(counts, NoGrade::kSchemaInvalid),
           no_grade_text(counts, NoGrade::kUngraded), human_ms(group->run_ms().percentile(50)),
           human_ms(group->run_ms().percentile(99)), human_count(group->usage().output_tokens),
           cost_text(group->usage())});
    }
  }
  return rows;
}

std::string changes_text(const RunComparison& comparison) {
  // Two models that are compared with two have two scores of an item.
  const bool is_one = comparison.pairs.size() < 2;
  return fmt::format(
      "{} worse, {} better",
      is_one ? counted_noun(comparison.regressions, "item is", "items are")
             : counted_noun(comparison.regressions, "score of an item is", "scores of items are"),
      human_count(comparison.improvements));
}

}  // namespace filecall::client
