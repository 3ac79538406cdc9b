// SPDX-License-Identifier: MIT
#include "client/report/items/comparison_rows.h"

#include <fmt/core.h>

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

}  // namespace

std::string signed_text(double value) { return fmt::format("{:+.3f}", value); }

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

std::string missing_text(const RunComparison& comparison) {
  std::string names;
  for (const MissingItem& missing : comparison.missing) {
    names += fmt::format("{}{} of {} ({})", names.empty() ? "" : ", ", one_line(missing.item, 40),
                         one_line(group_label(comparison.pairs[missing.pair].b), 60),
                         missing.outcome_b.empty() ? "not asked" : missing.outcome_b);
  }
  const std::int64_t more =
      comparison.missing_count - static_cast<std::int64_t>(comparison.missing.size());
  if (more > 0) names += fmt::format("{}{} more", names.empty() ? "" : ", ", human_count(more));
  return names;
}

std::string changes_text(const RunComparison& comparison) {
  return fmt::format("{} items are worse, {} better", human_count(comparison.regressions),
                     human_count(comparison.improvements));
}

}  // namespace filecall::client
