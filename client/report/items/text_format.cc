// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/report_format.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string count_text(std::int64_t count) { return count == 0 ? "-" : human_count(count); }

std::string label_of(const std::string& text) { return text.empty() ? "-" : one_line(text, 40); }

std::string ms_text(const LatencyHistogram& values, double percent) {
  return values.count() == 0 ? "-" : human_ms(values.percentile(percent));
}

/// A row for each group and, when there are several, of the sums of all.
template <typename Row>
void each_group_and_all(const ReportTally& tally, const Row& row) {
  for (const auto& [key, group] : tally.groups()) row(key.subject, key.prompt, group);
  if (tally.groups().size() > 1) row("(all)", "", tally.all());
}

std::string outcome_table(const ReportTally& tally) {
  Rows rows = {{"MODEL", "PROMPT", "REQUESTS", "ANSWERED", "GAVE UP", "REFUSED", "CUT", "SCHEMA",
                "MISSING", "PENDING", "RETRIES"}};
  each_group_and_all(tally, [&](const std::string& name, const std::string& prompt,
                                const GroupTally& g) {
    const std::int64_t answered = g.count(ItemOutcome::kAnswered) + g.count(ItemOutcome::kGraded) +
                                  g.count(ItemOutcome::kUngraded);
    rows.push_back({label_of(name), label_of(prompt), human_count(g.total()), human_count(answered),
                    count_text(g.count(ItemOutcome::kError)),
                    count_text(g.count(ItemOutcome::kRefusal)),
                    count_text(g.count(ItemOutcome::kTruncated)),
                    count_text(g.count(ItemOutcome::kSchemaInvalid)),
                    count_text(g.count(ItemOutcome::kMissing)),
                    count_text(g.count(ItemOutcome::kPending)), count_text(g.retries())});
  });
  return known_table(rows, {2, 3, 4, 5, 6, 7, 8, 9, 10});
}

std::string score_table(const ReportTally& tally) {
  if (tally.all().evaluated() == 0) return {};
  Rows rows = {{"MODEL", "PROMPT", "GRADED", "ITEMS", "SCORE", "95 %", "PASSED", "95 %", "REPEATS",
                "UNGRADED", "ERRORS", "REFUSED", "CUT", "SCHEMA"}};
  bool has_few = false;
  for (const auto& [key, group] : tally.groups()) {
    const ScoreSummary summary = summarize(group.scores(), tally.repeats_k);
    has_few = has_few || (summary.score.value && summary.score.has_few_items());
    rows.push_back({label_of(key.subject), label_of(key.prompt), human_count(summary.counts.graded),
                    human_count(summary.score.items), score_text(summary.score),
                    interval_text(summary.score), percent_text(summary.pass_rate.value),
                    percent_interval_text(summary.pass_rate), repeats_text(summary.repeats),
                    no_grade_text(summary.counts, NoGrade::kUngraded),
                    no_grade_text(summary.counts, NoGrade::kError),
                    no_grade_text(summary.counts, NoGrade::kRefusal),
                    no_grade_text(summary.counts, NoGrade::kTruncated),
                    no_grade_text(summary.counts, NoGrade::kSchemaInvalid)});
  }
  std::string out = "\n" + known_table(rows, {2, 3, 4, 6, 9, 10, 11, 12, 13});
  out += fmt::format("{} What has no grade is left out, or counts as 0 where it says so.\n",
                     kScoreDefinition);
  if (has_few) out += fmt::format("Fewer than {} items say little.\n", kFewItems);
  return out;
}

std::string grader_table(const ReportTally& tally) {
  Rows rows = {{"GRADER", "MODEL", "PROMPT", "GRADED", "SCORE", "95 %", "PASSED", "UNGRADED"}};
  for (const auto& [key, group] : tally.groups()) {
    if (group.graders().size() < 2) continue;  // One grader's scores are the table above.
    for (const auto& [name, tally_of] : group.graders()) {
      const ScoreSummary summary = summarize(tally_of);
      rows.push_back({label_of(name), label_of(key.subject), label_of(key.prompt),
                      human_count(summary.counts.graded), score_text(summary.score),
                      interval_text(summary.score), percent_text(summary.pass_rate.value),
                      count_text(summary.counts.ungraded)});
    }
  }
  if (rows.size() == 1) return {};
  std::sort(rows.begin() + 1, rows.end());
  return "\n" + known_table(rows, {3, 4, 6, 7});
}

std::string time_table(const ReportTally& tally) {
  Rows rows = {{"MODEL", "PROMPT", "P50", "P90", "P99", "MAX", "FIRST TOKEN P50", "P90",
                "TOKENS IN", "OUT", "COST"}};
  each_group_and_all(
      tally, [&](const std::string& name, const std::string& prompt, const GroupTally& g) {
        const UsageSums& usage = g.usage();
        rows.push_back({label_of(name), label_of(prompt), ms_text(g.run_ms(), 50),
                        ms_text(g.run_ms(), 90), ms_text(g.run_ms(), 99), ms_text(g.run_ms(), 100),
                        ms_text(g.first_token_ms(), 50), ms_text(g.first_token_ms(), 90),
                        count_text(usage.input_tokens), count_text(usage.output_tokens),
                        cost_text(usage)});
      });
  return "\n" + known_table(rows, {2, 3, 4, 5, 6, 7, 8, 9, 10});
}

std::string error_lines(const ReportTally& tally) {
  std::vector<std::pair<std::int64_t, std::string>> errors;
  for (const auto& [name, count] : tally.all().errors()) errors.push_back({-count, name});
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  std::string out;
  for (const auto& [count, name] : errors) {
    out +=
        fmt::format("{}{} {}", out.empty() ? "" : ",  ", one_line(name, 40), human_count(-count));
  }
  return "\nErrors: " + out + "\n";
}

/// What needs a look first: given up, then without a grade, then the lowest scores.
struct Worst {
  int rank = 0;
  double score = 0;
  std::string request_id;
  std::vector<std::string> row;
  bool operator<(const Worst& other) const {
    return std::tie(rank, score, request_id) < std::tie(other.rank, other.score, other.request_id);
  }
};

std::optional<Worst> look_at(const ReportItem& item, std::size_t text_columns) {
  Worst worst;
  switch (item.outcome) {
    case ItemOutcome::kPending:
    case ItemOutcome::kAnswered:
      return std::nullopt;
    case ItemOutcome::kError:
    case ItemOutcome::kSchemaInvalid:
    case ItemOutcome::kMissing:
      break;
    case ItemOutcome::kUngraded:
    case ItemOutcome::kRefusal:
    case ItemOutcome::kTruncated:
      worst.rank = 1;
      break;
    case ItemOutcome::kGraded:
      if (item.evaluation->passed.value_or(false)) return std::nullopt;
      worst.rank = 2;
      worst.score = item.evaluation->score.value_or(0);
  }
  worst.request_id = item.request_id;
  const bool is_error =
      item.state == RequestState::kGaveUp || item.outcome == ItemOutcome::kMissing;
  const bool is_unfit =
      item.outcome == ItemOutcome::kUngraded && item.evaluation && !item.evaluation->reason.empty();
  const std::string& answer = is_unfit ? item.evaluation->reason : item.answer;
  const std::string what =
      worst.rank == 2 ? fmt::format("{:.3f}", worst.score) : std::string(to_string(item.outcome));
  worst.row = {one_line(item.request_id, 40),
               one_line(item.subject(), 24),
               what,
               std::to_string(item.attempts),
               one_line(item.prompt, text_columns),
               one_line(is_error ? item.error_message : answer, text_columns)};
  return worst;
}

class TextFormat final : public ReportFormat {
 public:
  explicit TextFormat(const TextFormatOptions& options) : options_(options) {}

  std::string item(const ReportItem& item) override {
    const std::size_t rest = options_.columns > 100 ? (options_.columns - 80) / 2 : 24;
    auto worst = look_at(item, rest);
    if (!worst) return {};
    ++not_passed_;
    if (options_.items_max == 0) return {};
    if (worst_.size() == options_.items_max && !(*worst < worst_.back())) return {};
    worst_.insert(std::upper_bound(worst_.begin(), worst_.end(), *worst), *worst);
    if (worst_.size() > options_.items_max) worst_.pop_back();
    return {};
  }

  std::string head(const ReportTally& tally) override {
    const RunSummary& run = tally.run();
    std::string out = fmt::format(
        "{}{}: {}, {} ended{}\n", run.name.empty() ? "" : one_line(run.name, 60) + " in ",
        one_line(run.root, 120), counted_noun(tally.all().total(), "request"),
        human_count(tally.all().ended()),
        run.elapsed() > Duration::zero()
            ? "; " + human_duration(run.elapsed()) + " from first to last"
            : "");
    if (tally.runs.size() == 1) out += "run " + one_line(tally.runs.front(), 60) + "\n";
    if (tally.runs.size() > 1) {
      out += fmt::format("{} runs together, whatever each of them asked\n", tally.runs.size());
    }
    if (const auto missing = tally.all().count(ItemOutcome::kMissing); missing > 0) {
      out += fmt::format("{} not there any more; {} as missing\n",
                         counted_noun(missing, "answer is", "answers are"),
                         one_or_many(missing, "it counts", "they count"));
    }
    if (tally.run_results() > 0 && tally.run_results() < tally.all().total()) {
      out += fmt::format(
          "{} of agents' runs, whose calls are requests as well\n",
          counted_noun(tally.run_results(), "request is the result", "requests are results"));
    }
    if (!tally.evaluation.empty()) {
      out += fmt::format("evaluation {}: {} of {} looked at\n", one_line(tally.evaluation, 60),
                         human_count(tally.all().evaluated()), human_count(tally.all().ended()));
    }
    if (tally.evaluation_problems() > 0) {
      out += fmt::format("{}; run the evaluation again: {}\n", problems_sentence(tally),
                         problem_names(tally));
    }
    if (const std::string mixed = versions_sentence(tally); !mixed.empty()) out += mixed + "\n";
    return out + "\n" + outcome_table(tally) + score_table(tally) + grader_table(tally) +
           judging_text(tally.judging) + pair_sections_text(tally.pairs) + time_table(tally) +
           error_lines(tally) + worst_table(tally.all().ended());
  }

  std::string tail(const ReportTally&) override { return {}; }

 private:
  std::string worst_table(std::int64_t ended) const {
    if (worst_.empty()) return {};
    Rows rows = {{"REQUEST", "MODEL", "RESULT", "ATTEMPTS", "PROMPT", "ANSWER"}};
    for (const Worst& worst : worst_) rows.push_back(worst.row);
    std::string out = fmt::format("\nNot passed: {}\n{}", part_of(not_passed_, ended, "request"),
                                  table(rows, {3}));
    const auto more = not_passed_ - static_cast<std::int64_t>(worst_.size());
    if (more > 0) out += fmt::format("... and {} more; --limit shows them\n", human_count(more));
    return out;
  }

  TextFormatOptions options_;
  std::int64_t not_passed_ = 0;
  std::vector<Worst> worst_;  // Ordered; at most items_max.
};

}  // namespace

std::unique_ptr<ReportFormat> text_format(const TextFormatOptions& options) {
  return std::make_unique<TextFormat>(options);
}

}  // namespace filecall::client
