// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "client/report/html_escape.h"
#include "client/report/items/html_sections.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/pair_section.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kGapsNamed = 5;
constexpr std::size_t kGapColumns = 120;

std::vector<std::vector<std::string>> section_rows(const PairSection& section) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(section.groups.size());
  for (const PairGroup& group : section.groups) {
    rows.push_back(pair_row(pair_name(group.a, group.b), group.counts));
  }
  return rows;
}

std::string gap_name(const PairGap& gap) {
  std::string name = one_line(gap.item, 40);
  if (gap.repeat > 1) name += fmt::format(" (repeat {})", gap.repeat);
  return name + ": " + one_line(gap.why, kGapColumns);
}

Json group_json_of(const PairGroup& group) {
  Json json = pair_counts_json(group.counts);
  json["a"] = group.a;
  json["b"] = group.b;
  json["gaps"] = {{"count", group.gap_count}, {"items", Json::array()}};
  for (const PairGap& gap : group.gaps) {
    json["gaps"]["items"].push_back({{"item", gap.item}, {"repeat", gap.repeat}, {"why", gap.why}});
  }
  return json;
}

}  // namespace

std::string gaps_text(const PairGroup& group) {
  if (group.gap_count == 0) return {};
  std::string names;
  const std::size_t named = std::min(kGapsNamed, group.gaps.size());
  for (std::size_t i = 0; i < named; ++i) names += (i == 0 ? "" : "; ") + gap_name(group.gaps[i]);
  const std::int64_t more = group.gap_count - static_cast<std::int64_t>(named);
  if (more > 0) names += fmt::format("; and {} more", human_count(more));
  return fmt::format("{}: {} pair{} without a verdict that counts: {}",
                     one_line(pair_name(group.a, group.b), 80), human_count(group.gap_count),
                     group.gap_count == 1 ? "" : "s", names);
}

Json pair_sections_json(const std::vector<PairSection>& sections) {
  Json list = Json::array();
  for (const PairSection& section : sections) {
    Json json = {{"evaluation", section.evaluation},
                 {"rule_digest", section.rule_digest},
                 {"lacking_replies", section.lacking_replies},
                 {"judges", pair_judging_json(section.judging)},
                 {"groups", Json::array()}};
    for (const PairGroup& group : section.groups) json["groups"].push_back(group_json_of(group));
    list.push_back(std::move(json));
  }
  return list;
}

std::string pair_sections_text(const std::vector<PairSection>& sections) {
  std::string text;
  for (const PairSection& section : sections) {
    auto rows = section_rows(section);
    rows.insert(rows.begin(), pair_heads());
    text += fmt::format("\nPairs of evaluation {}, beside the scores:\n",
                        one_line(section.evaluation, 60));
    text += table(rows, {2, 3, 4, 5, 6, 7}) + std::string(pair_note()) + "\n";
    text += pair_judging_text(section.judging);
    for (const PairGroup& group : section.groups) {
      if (const std::string gaps = gaps_text(group); !gaps.empty()) text += gaps + "\n";
    }
  }
  return text;
}

std::string pair_sections_html(const std::vector<PairSection>& sections) {
  std::string html;
  for (const PairSection& section : sections) {
    html += fmt::format("<section>\n<h2>Pairs <small>{}</small></h2>\n{}<p class=\"note\">{}</p>\n",
                        html_escape(section.evaluation),
                        html_table(pair_heads(), 1, section_rows(section)),
                        html_escape(std::string(pair_note())));
    const auto judges = pair_judging_rows(section.judging);
    if (!judges.empty()) html += html_table(judge_heads(), 1, judges);
    for (const PairGroup& group : section.groups) {
      const std::string gaps = gaps_text(group);
      if (!gaps.empty()) html += "<p class=\"note\">" + html_escape(gaps) + "</p>\n";
    }
    html += "</section>\n";
  }
  return html;
}

}  // namespace filecall::client
