// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/count_text.h"
#include "client/report/items/comparison_output.h"
#include "client/report/items/comparison_rows.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

using Table = std::vector<std::vector<std::string>>;

std::string score_rows(const RunComparison& comparison) {
  Table rows = {
      {"MODEL", "", "A", "B", "DIFFERENCE", "95 %", "P", "BETTER", "SAME", "WORSE", "ITEMS"}};
  for (auto& row : paired_rows(comparison)) rows.push_back(std::move(row));
  return table(rows, {2, 3, 4, 6, 7, 8, 9, 10});
}

/// "412 ms", "512 ms (+24.3 %)": a value, and what it is beside the other.
std::string beside(std::int64_t a, std::int64_t b) {
  const std::string text = human_ms(b);
  if (a <= 0) return text;
  const double ratio = static_cast<double>(b) / static_cast<double>(a) - 1;
  return text + fmt::format(" ({:+.1f} %)", ratio * 100);
}

std::string other_rows(const RunComparison& comparison) {
  Table rows = {{"MODEL", "", "GRADED", "ERRORS", "REFUSED", "CUT", "SCHEMA", "UNGRADED", "P50",
                 "P99", "FIRST TOKEN P50", "TOKENS OUT", "COST"}};
  const auto add = [&](const std::string& name, const char* run, const GroupTally& group,
                       const GroupTally& base) {
    const bool has_first = group.first_token_ms().count() > 0;
    const OutcomeCounts& counts = group.scores().counts();
    rows.push_back(
        {name, run, human_count(counts.graded), no_grade_text(counts, NoGrade::kError),
         no_grade_text(counts, NoGrade::kRefusal), no_grade_text(counts, NoGrade::kTruncated),
         no_grade_text(counts, NoGrade::kSchemaInvalid), no_grade_text(counts, NoGrade::kUngraded),
         &group == &base ? human_ms(group.run_ms().percentile(50))
                         : beside(base.run_ms().percentile(50), group.run_ms().percentile(50)),
         human_ms(group.run_ms().percentile(99)),
         has_first ? human_ms(group.first_token_ms().percentile(50)) : "-",
         group.usage().counted == 0 ? "-" : human_count(group.usage().output_tokens),
         cost_text(group.usage())});
  };
  for (const GroupPair& pair : comparison.pairs) {
    add(one_line(group_key_label(pair.a), 60), "A", *pair.tally_a, *pair.tally_a);
    add(one_line(group_key_label(pair.b), 60), "B", *pair.tally_b, *pair.tally_a);
  }
  return "\n" + known_table(rows, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

std::string change_rows(const RunComparison& comparison, std::size_t columns) {
  const std::int64_t changed = comparison.regressions + comparison.improvements;
  std::string out = "\n" + changes_text(comparison) + "\n";
  if (comparison.changes.empty()) return out;
  const std::size_t text = columns > 130 ? (columns - 70) / 3 : 20;
  Table rows = {{"ITEM", "MODEL", "A", "B", "DIFFERENCE", "PROMPT", "ANSWER A", "ANSWER B"}};
  for (const ItemChange& change : comparison.changes) {
    const GroupPair& pair = comparison.pairs[change.pair];
    rows.push_back({one_line(change.item, 30), one_line(pair_label(pair), 24),
                    fmt::format("{:.3f}", change.score_a), fmt::format("{:.3f}", change.score_b),
                    signed_text(change.difference()), one_line(change.prompt, text),
                    one_line(change.answer_a, text), one_line(change.answer_b, text)});
  }
  out += table(rows, {2, 3, 4});
  const std::int64_t more = changed - static_cast<std::int64_t>(comparison.changes.size());
  if (more > 0) out += fmt::format("... and {} more; --limit shows them\n", human_count(more));
  return out;
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, const ComparedNames& names,
                            std::size_t columns) {
  std::string out = fmt::format("A  {}\nB  {}\n\n", one_line(names.a, 160), one_line(names.b, 160));
  out += score_rows(comparison);
  out += std::string(kScoreDefinition) + "\n";
  if (comparison.all.has_few_items()) {
    out += fmt::format("Fewer than {} items say little.\n", kFewItems);
  }
  for (const std::string& note : comparison.notes) out += note + "\n";
  for (const std::string& one : unpaired_sentences(comparison)) out += one + "\n";
  out += pair_sections_text(comparison.judged_pairs);
  return out + other_rows(comparison) + change_rows(comparison, columns);
}

}  // namespace filecall::client
