// SPDX-License-Identifier: MIT
#include "client/report/items/html_sections.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/report/html_escape.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

std::string tile(const char* css, const std::string& value, const char* label) {
  return fmt::format("<div class=\"tile {}\"><b>{}</b><span>{}</span></div>\n", css,
                     html_escape(value), label);
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string label_of_group(const GroupKey& key) {
  return key.prompt.empty() ? key.subject : key.subject + " / " + key.prompt;
}

std::string percentile_of(const LatencyHistogram& values, double percent) {
  return values.count() == 0 ? "-" : human_ms(values.percentile(percent));
}

template <typename Counts>
std::string counts_html(const char* head, const Counts& counts) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(counts.size());
  for (const auto& [name, count] : counts) rows.push_back({name, human_count(count)});
  return html_table({head, "requests"}, 1, rows);
}

std::string graders_html(const ReportTally& tally) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, group] : tally.groups()) {
    for (const auto& [name, scores] : group.graders()) {
      const ScoreSummary summary = summarize(scores);
      rows.push_back({name, key.subject, or_dash(key.prompt), human_count(summary.counts.graded),
                      score_text(summary.score), interval_text(summary.score),
                      percent_text(summary.pass_rate.value), human_count(summary.counts.ungraded)});
    }
  }
  std::sort(rows.begin(), rows.end());
  return html_table({"grader", "model", "prompt", "graded", "score", "95 %", "passed", "ungraded"},
                    3, rows);
}

}  // namespace

std::string html_table(const std::vector<std::string>& heads, std::size_t words,
                       const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "<p class=\"none\">None.</p>\n";
  // As on the terminal: a column in which no row has anything takes room from the others.
  const auto is_shown = [&](std::size_t column) {
    return column < words || std::any_of(rows.begin(), rows.end(),
                                         [&](const auto& row) { return row[column] != "-"; });
  };
  const auto line = [&](const std::vector<std::string>& cells, const char* tag) {
    std::string out = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_shown(i)) continue;
      out += fmt::format("<{}{}>{}</{}>", tag, i < words ? "" : " class=\"n\"",
                         html_escape(cells[i]), tag);
    }
    return out + "</tr>\n";
  };
  // A wide table scrolls by itself, also by keyboard; the page never does.
  std::string out =
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table\"><table><thead>" +
      line(heads, "th") + "</thead><tbody>\n";
  for (const auto& row : rows) out += line(row, "td");
  return out + "</tbody></table></div>\n";
}

std::string tiles_html(const ReportTally& tally) {
  const RunSummary& run = tally.run();
  const GroupTally& all = tally.all();
  std::string out = tile("", human_count(all.total()), "requests");
  out += tile("good", human_count(run.success()), "success");
  out += tile(run.gave_up() > 0 ? "bad" : "", human_count(run.gave_up()), "gave up");
  const std::int64_t pending = all.count(ItemOutcome::kPending);
  if (pending > 0) out += tile("", human_count(pending), "pending");
  const std::int64_t missing = all.count(ItemOutcome::kMissing);
  if (missing > 0) out += tile("bad", human_count(missing), "missing");
  out += tile("", human_count(run.retries()), "retries");
  if (run.elapsed() > Duration::zero()) {
    out += tile("", human_duration(run.elapsed()), "elapsed");
    out += tile("", human_rate(run.rate()), "ended");
  }
  if (all.evaluated() > 0 && tally.groups().size() == 1) {
    const ScoreSummary summary = summarize(all.scores());
    out += tile("", score_text(summary.score), "score");
    out += tile("", percent_text(summary.pass_rate.value), "passed");
  }
  if (cost_text(all.usage()) != "-") out += tile("", cost_text(all.usage()), "cost");
  return out;
}

std::string scores_html(const ReportTally& tally) {
  if (tally.all().evaluated() == 0) return {};
  std::vector<std::vector<std::string>> rows;
  bool has_few = false;
  for (const auto& [key, group] : tally.groups()) {
    const ScoreSummary summary = summarize(group.scores(), tally.repeats_k);
    has_few = has_few || (summary.score.value && summary.score.has_few_items());
    rows.push_back({key.subject, or_dash(key.prompt), human_count(summary.counts.graded),
                    human_count(summary.score.items), score_text(summary.score),
                    interval_text(summary.score), percent_text(summary.pass_rate.value),
                    percent_interval_text(summary.pass_rate), repeats_text(summary.repeats),
                    no_grade_text(summary.counts, NoGrade::kError),
                    no_grade_text(summary.counts, NoGrade::kRefusal),
                    no_grade_text(summary.counts, NoGrade::kTruncated),
                    no_grade_text(summary.counts, NoGrade::kSchemaInvalid),
                    no_grade_text(summary.counts, NoGrade::kUngraded)});
  }
  std::string out = "<section>\n<h2>Scores</h2>\n";
  out += html_table({"model", "prompt", "graded", "items", "score", "95 %", "passed", "95 %",
                     "repeats", "errors", "refused", "cut", "schema", "ungraded"},
                    2, rows);
  out += fmt::format(
      "<p class=\"note\">{} Beside each its standard error. What has no grade is left out, or "
      "counts as 0 where it says so.",
      html_escape(std::string(kScoreDefinition)));
  if (has_few) out += fmt::format(" Fewer than {} items say little.", kFewItems);
  if (tally.evaluation_problems() > 0) {
    out += " " + problems_sentence(tally) + ".";
  }
  out += " " + html_escape(versions_sentence(tally));
  return out + "</p>\n<h2>Graders</h2>\n" + graders_html(tally) + judging_html(tally.judging) +
         "</section>\n";
}

std::string times_html(const ReportTally& tally) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, group] : tally.groups()) {
    const UsageSums& usage = group.usage();
    std::vector<std::string> row = {key.subject, or_dash(key.prompt), human_count(group.total())};
    for (const double percent : {50.0, 90.0, 99.0, 100.0}) {
      row.push_back(percentile_of(group.run_ms(), percent));
    }
    for (const double percent : {50.0, 90.0, 99.0}) {
      row.push_back(percentile_of(group.first_token_ms(), percent));
    }
    row.push_back(human_count(usage.input_tokens));
    row.push_back(human_count(usage.output_tokens));
    row.push_back(cost_text(usage));
    rows.push_back(std::move(row));
  }
  std::string out = html_table({"model", "prompt", "requests", "ran p50", "p90", "p99", "max",
                                "first token p50", "p90", "p99", "tokens in", "out", "cost"},
                               2, rows);
  if (tally.all().retries() > 0) {
    out +=
        "<p class=\"note\">Tokens and cost are of all attempts whose responses said what they "
        "used.</p>\n";
  }
  return out;
}

std::string commands_html(const RunSummary& run) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [command, row] : run.by_command()) {
    rows.push_back({command, human_count(row.success), human_count(row.gave_up)});
  }
  return html_table({"command", "success", "gave up"}, 1, rows);
}

std::string attempts_html(const RunSummary& run) {
  std::vector<std::pair<std::string, std::int64_t>> rows;
  for (std::size_t i = 0; i < run.by_attempts().size(); ++i) {
    const std::int64_t count = run.by_attempts()[i];
    const bool is_last = i + 1 == run.by_attempts().size();
    if (count > 0) rows.push_back({std::to_string(i + 1) + (is_last ? " or more" : ""), count});
  }
  return counts_html("attempts", rows);
}

std::string errors_html(const GroupTally& all) {
  std::vector<std::pair<std::string, std::int64_t>> rows(all.errors().begin(), all.errors().end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return counts_html("class of the last error", rows);
}

Json chart_data(const ReportTally& tally) {
  const RunSummary& run = tally.run();
  Json latency = Json::array();
  for (const LatencyHistogram::Bucket& bucket : run.latency_ms().chart(40)) {
    latency.push_back({bucket.low, bucket.high, bucket.count});
  }
  Json time_line = Json::array();
  for (const TimeLine::Bucket& bucket : run.time_line().buckets()) {
    time_line.push_back({bucket.success, bucket.gave_up});
  }
  Json scores = Json::array();
  for (const auto& [key, group] : tally.groups()) {
    const Estimate score = summarize(group.scores()).score;
    if (!score.interval) continue;
    scores.push_back({one_line(label_of_group(key), 48), *score.value, score.interval->low,
                      score.interval->high});
  }
  return {{"latency", std::move(latency)},
          {"time_line", std::move(time_line)},
          {"bucket_ms", to_ms(run.time_line().width())},
          {"scores", std::move(scores)}};
}

}  // namespace filecall::client
