// SPDX-License-Identifier: MIT
#include "client/report/items/judging_output.h"

#include <fmt/core.h>

#include <cmath>

#include <vector>

#include "base/count_text.h"
#include "client/report/html_escape.h"
#include "client/report/items/html_sections.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

using JudgingRows = std::vector<std::vector<std::string>>;

constexpr std::size_t kJudgingNameColumns = 40;
constexpr const char* kAgreementNote =
    "Kappa is the agreement beyond chance: 1 is full, 0 what chance would give (Cohen); weighted "
    "by "
    "the squared distance on the scale. Answers count as independent, and its intervals are those "
    "of "
    "large samples: with fewer than 20 answers they say little.";

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json kappa_json(const Kappa& kappa) {
  Json json = {{"value", or_null(kappa.value)},
               {"standard_error", or_null(kappa.standard_error)},
               {"low", nullptr},
               {"high", nullptr}};
  if (kappa.interval) {
    json["low"] = kappa.interval->low;
    json["high"] = kappa.interval->high;
  }
  return json;
}

Json rater_json(const Rater& rater) {
  Json json = {{"kind", to_string(rater.kind)}};
  if (!rater.name.empty()) json["name"] = rater.name;
  return json;
}

Json raters_json(const Rater& a, const Rater& b, const Agreement& agreement) {
  Json json = {
      {"a", rater_json(a)},
      {"b", rater_json(b)},
      {"answers", agreement.answers},
      {"share", {{"value", or_null(agreement.share)}, {"low", nullptr}, {"high", nullptr}}},
      {"kappa", kappa_json(agreement.kappa)},
      {"weighted_kappa", kappa_json(agreement.weighted)}};
  if (agreement.share_interval) {
    json["share"]["low"] = agreement.share_interval->low;
    json["share"]["high"] = agreement.share_interval->high;
  }
  return json;
}

Json grader_judging_json(const std::string& name, const GraderJudging& judging) {
  Json json = {
      {"grader", name},
      {"scale", judging.scale},
      {"judges", Json::array()},
      {"fleiss_kappa",
       {{"answers", judging.fleiss.answers()}, {"value", or_null(judging.fleiss.kappa())}}},
      {"labels", judging.labels},
      {"old_labels", judging.old_labels},
      {"agreement", Json::array()}};
  for (const auto& [judge, counts] : judging.judges) {
    json["judges"].push_back(judge_json(judge, counts));
  }
  for (const auto& [raters, agreement] : judging.pairs) {
    json["agreement"].push_back(raters_json(raters.first, raters.second, agreement.agreement()));
  }
  return json;
}

std::string rater_text(const Rater& rater) {
  switch (rater.kind) {
    case Rater::Kind::kGrade:
      return "the grade";
    case Rater::Kind::kJudge:
      return "judge " + rater.name;
    case Rater::Kind::kPerson:
      return rater.name;
  }
  return rater.name;
}

/// What is rounded to nothing has no sign: not "-0.000".
std::string three_digits(double value) {
  return fmt::format("{:.3f}", std::abs(value) < 0.0005 ? 0.0 : value);
}

std::string kappa_text(const Kappa& kappa) {
  if (!kappa.value) return "-";
  std::string text = three_digits(*kappa.value);
  if (kappa.interval) {
    text += fmt::format(" [{}, {}]", three_digits(kappa.interval->low),
                        three_digits(kappa.interval->high));
  }
  return text;
}

/// With two labels there is one distance, and nothing to weigh.
bool is_weighted(const GraderJudging& judging) {
  const auto scale = parse_scale(judging.scale);
  return scale && (!scale->has_labels() || labels_of(*scale).size() > 2);
}

std::string judge_cost_text(const JudgeCounts& counts) {
  if (counts.unpriced == counts.asked) return "unknown";
  return human_cost(counts.cost) + (counts.unpriced > 0 ? " + unknown" : "");
}

JudgingRows judge_rows(const JudgingTally& tally) {
  JudgingRows rows = {judge_heads()};
  rows[0].insert(rows[0].begin(), "grader");
  for (const auto& [name, judging] : tally.graders()) {
    for (const auto& [judge, counts] : judging.judges) {
      rows.push_back(judge_cells(judge, counts));
      rows.back().insert(rows.back().begin(), name);
    }
  }
  return rows;
}

JudgingRows agreement_rows(const JudgingTally& tally) {
  JudgingRows rows = {{"grader", "between", "and", "answers", "equal", "95 %", "kappa [95 %]",
                       "weighted kappa [95 %]"}};
  for (const auto& [name, judging] : tally.graders()) {
    for (const auto& [raters, table] : judging.pairs) {
      const Agreement agreement = table.agreement();
      rows.push_back({name, rater_text(raters.first), rater_text(raters.second),
                      human_count(agreement.answers), percent_text(agreement.share),
                      agreement.share_interval
                          ? fmt::format("{:.1f} to {:.1f}", agreement.share_interval->low * 100,
                                        agreement.share_interval->high * 100)
                          : "-",
                      kappa_text(agreement.kappa),
                      is_weighted(judging) ? kappa_text(agreement.weighted) : "-"});
    }
    if (judging.judges.size() > 2 && judging.fleiss.answers() > 0) {
      const auto kappa = judging.fleiss.kappa();
      rows.push_back({name, "all judges", "(Fleiss)", human_count(judging.fleiss.answers()), "-",
                      "-", kappa ? three_digits(*kappa) : "-", "-"});
    }
  }
  return rows;
}

std::string old_labels_text(const JudgingTally& tally) {
  std::string text;
  for (const auto& [name, judging] : tally.graders()) {
    if (judging.old_labels == 0) continue;
    text += fmt::format("{}: {} not count: {} or the scale {} now.\n",
                        one_line(name, kJudgingNameColumns),
                        counted_noun(judging.old_labels, "label does", "labels do"),
                        one_or_many(judging.old_labels, "its answer", "their answers"),
                        one_or_many(judging.old_labels, "is another one", "are other ones"));
  }
  return text;
}

JudgingRows in_lines(JudgingRows rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = one_line(cell, kJudgingNameColumns);
  }
  return rows;
}

std::string section_of(const char* head, JudgingRows rows, std::size_t words) {
  if (rows.size() < 2) return {};
  const std::vector<std::string> heads = rows.front();
  rows.erase(rows.begin());
  return fmt::format("<h2>{}</h2>\n{}", head, html_table(heads, words, rows));
}

}  // namespace

Json judge_json(const std::string& judge, const JudgeCounts& counts) {
  return {{"judge", judge},
          {"asked", counts.asked},
          {"asked_again", counts.asked_again},
          {"unreadable", counts.unreadable},
          {"cost", counts.unpriced == counts.asked ? Json() : Json(counts.cost)},
          {"without_cost", counts.unpriced}};
}

std::vector<std::string> judge_heads() {
  return {"judge", "asked", "asked again", "no verdict", "cost"};
}

std::vector<std::string> judge_cells(const std::string& judge, const JudgeCounts& counts) {
  return {one_line(judge, kJudgingNameColumns), human_count(counts.asked),
          human_count(counts.asked_again), human_count(counts.unreadable), judge_cost_text(counts)};
}

Json judging_json(const JudgingTally& tally) {
  Json list = Json::array();
  for (const auto& [name, judging] : tally.graders()) {
    list.push_back(grader_judging_json(name, judging));
  }
  return list;
}

std::string judging_text(const JudgingTally& tally) {
  std::string text;
  const JudgingRows judges = judge_rows(tally);
  if (judges.size() > 1) text += "\n" + table(in_lines(judges), {2, 3, 4, 5});
  const JudgingRows agreement = agreement_rows(tally);
  if (agreement.size() > 1) {
    text += "\n" + known_table(in_lines(agreement), {3, 4, 5, 6, 7}) + kAgreementNote + "\n";
  }
  return text + old_labels_text(tally);
}

std::string judging_html(const JudgingTally& tally) {
  std::string html = section_of("Judges", judge_rows(tally), 2);
  const std::string agreement = section_of("Agreement", agreement_rows(tally), 3);
  if (!agreement.empty()) {
    html += agreement + fmt::format("<p class=\"note\">{}</p>\n", html_escape(kAgreementNote));
  }
  const std::string old = old_labels_text(tally);
  if (!old.empty()) html += fmt::format("<p class=\"note\">{}</p>\n", html_escape(old));
  return html;
}

}  // namespace filecall::client
