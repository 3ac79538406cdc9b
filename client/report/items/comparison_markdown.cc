// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/utf8.h"
#include "client/report/items/comparison_output.h"
#include "client/report/items/comparison_rows.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kTextColumns = 160;

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || c == ' ' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

/// A text that Markdown and HTML take for nothing else: each mark is an entity.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : sanitize_utf8(text)) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format("&#{};", static_cast<int>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

/// Of models and requests: in code, so that no "@name" in it calls anybody.
std::string in_code(const std::string& text, std::size_t columns = kTextColumns) {
  const std::string line = one_line(text, columns);
  return line.empty() ? "" : "<code>" + plain(line) + "</code>";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string scores_markdown(const RunComparison& comparison) {
  std::string out = markdown_row(
      {"model", "", "A", "B", "difference", "95 %", "p", "better", "same", "worse", "items"});
  out += "|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|\n";
  for (auto cells : paired_rows(comparison)) {
    cells[0] = in_code(cells[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i] = plain(cells[i]);
    out += markdown_row(cells);
  }
  return out;
}

std::string sides_markdown(const RunComparison& comparison) {
  std::string out = markdown_row(side_heads());
  out += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (auto cells : side_rows(comparison)) {
    cells[0] = in_code(cells[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i] = plain(cells[i]);
    out += markdown_row(cells);
  }
  return out + "\n";
}

std::string judges_markdown(const PairSection& section) {
  auto rows = pair_judging_rows(section.judging);
  if (rows.empty()) return {};
  std::string out = markdown_row(judge_heads()) + "|---|--:|--:|--:|--:|\n";
  for (auto& cells : rows) {
    cells[0] = in_code(cells[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i] = plain(cells[i]);
    out += markdown_row(cells);
  }
  return out + "\n";
}

std::string pairs_markdown(const RunComparison& comparison) {
  std::string out;
  for (const PairSection& section : comparison.judged_pairs) {
    out += "Pairs of evaluation " + in_code(section.evaluation, 60) + ":\n\n";
    out += markdown_row(pair_heads()) + "|---|---|--:|--:|--:|--:|--:|--:|\n";
    for (const PairGroup& group : section.groups) {
      auto cells = pair_row(pair_name(group.a, group.b), group.counts);
      cells[0] = in_code(cells[0]);
      for (std::size_t i = 1; i < cells.size(); ++i) cells[i] = plain(cells[i]);
      out += markdown_row(cells);
    }
    out += "\n" + plain(std::string(pair_note())) + "\n\n";
    out += judges_markdown(section);
    for (const PairGroup& group : section.groups) {
      if (group.gap_count > 0) out += in_code(gaps_text(group), 2000) + "\n\n";
    }
  }
  return out;
}

std::string changes_markdown(const RunComparison& comparison) {
  if (comparison.changes.empty()) return changes_text(comparison) + ".\n";
  std::string out =
      "<details><summary>" + changes_text(comparison) + "</summary>\n\n" +
      markdown_row({"item", "model", "A", "B", "difference", "prompt", "answer A", "answer B"}) +
      "|---|---|--:|--:|--:|---|---|---|\n";
  for (const ItemChange& change : comparison.changes) {
    out += markdown_row(
        {in_code(change.item, 60), in_code(pair_label(comparison.pairs[change.pair]), 60),
         fmt::format("{:.3f}", change.score_a), fmt::format("{:.3f}", change.score_b),
         plain(signed_text(change.difference())), in_code(change.prompt), in_code(change.answer_a),
         in_code(change.answer_b)});
  }
  const std::int64_t more = comparison.regressions + comparison.improvements -
                            static_cast<std::int64_t>(comparison.changes.size());
  if (more > 0) out += fmt::format("\n{} more are not shown.\n", human_count(more));
  return out + "\n</details>\n";
}

}  // namespace

std::string comparison_markdown(const RunComparison& comparison, const ComparedNames& names,
                                const std::vector<std::string>& missed) {
  std::string out = "### B against A\n\n";
  out += "- A: " + in_code(names.a) + "\n- B: " + in_code(names.b) + "\n\n";
  for (const std::string& sentence : missed)
    out += "**Missed:** " + in_code(sentence, 400) + "\n\n";
  out += scores_markdown(comparison) + "\n" + std::string(kScoreDefinition);
  if (comparison.all.has_few_items()) {
    out += fmt::format(" Fewer than {} items say little.", kFewItems);
  }
  out += "\n\n";
  for (const std::string& note : comparison.notes) out += "**Note:** " + plain(note) + "\n\n";
  for (const std::string& one : unpaired_sentences(comparison)) {
    out += in_code(one, 2000) + "\n\n";
  }
  out += sides_markdown(comparison);
  return out + pairs_markdown(comparison) + changes_markdown(comparison);
}

}  // namespace filecall::client
