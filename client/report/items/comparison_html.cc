// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/report/html_escape.h"
#include "client/report/items/comparison_output.h"
#include "client/report/items/comparison_rows.h"
#include "client/report/items/html_page.h"
#include "client/report/items/html_sections.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

std::string paragraph(const std::string& css, const std::string& text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", css, html_escape(text));
}

std::string side(const char* title, const std::string& request, const std::string& text) {
  return fmt::format("<div><h3>{} <small>{}</small></h3><pre>{}</pre></div>\n", title,
                     html_escape(request), html_escape(text));
}

std::string change_html(const ItemChange& change, const GroupPair& pair) {
  return fmt::format(
      "<details class=\"change {}\"><summary><b>{}</b> <span>{}</span> <span class=\"n\">{:.3f} "
      "&rarr; {:.3f} ({})</span></summary>\n<div class=\"details\"><h3>Prompt</h3><pre>{}</pre>"
      "<div class=\"sides\">\n{}{}</div></div></details>\n",
      change.difference() < 0 ? "bad" : "good", html_escape(change.item),
      html_escape(pair_label(pair)), change.score_a, change.score_b,
      signed_text(change.difference()), html_escape(change.prompt),
      side("A", change.request_a, change.answer_a), side("B", change.request_b, change.answer_b));
}

std::string changes_html(const RunComparison& comparison) {
  std::string out;
  for (const ItemChange& change : comparison.changes) {
    out += change_html(change, comparison.pairs[change.pair]);
  }
  const std::int64_t more = comparison.regressions + comparison.improvements -
                            static_cast<std::int64_t>(comparison.changes.size());
  if (more > 0) out += paragraph("note", human_count(more) + " more; --limit shows them.");
  return out;
}

std::string sides_html(const RunComparison& comparison) {
  return html_table(side_heads(), 2, side_rows(comparison));
}

}  // namespace

std::string comparison_html(const RunComparison& comparison, const ComparedNames& names,
                            const std::vector<std::string>& missed) {
  std::string verdict;
  for (const std::string& sentence : missed) verdict += paragraph("missed", sentence);
  std::string note(kScoreDefinition);
  if (comparison.all.has_few_items()) {
    note += fmt::format(" Fewer than {} items say little.", kFewItems);
  }
  for (const std::string& one : comparison.notes) verdict += paragraph("missed", one);
  std::string unpaired;
  for (const std::string& one : unpaired_sentences(comparison)) {
    unpaired += paragraph("missed", one);
  }
  const std::string script = script_of({"diff.js", "compare.js"});
  return fill_page(page_asset("page.compare.html"),
                   {{"SCRIPT_HASHES", policy_hash(script)},
                    {"STYLE_HASH", policy_hash(page_asset("page.css"))},
                    {"CSS", std::string(page_asset("page.css"))},
                    {"A", html_escape(names.a)},
                    {"B", html_escape(names.b)},
                    {"VERDICT", verdict},
                    {"SCORES", html_table({"model", "", "A", "B", "difference", "95 %", "p",
                                           "better", "same", "worse", "items"},
                                          2, paired_rows(comparison)) +
                                   paragraph("note", note) + unpaired},
                    {"PAIRS", pair_sections_html(comparison.judged_pairs)},
                    {"SIDES", sides_html(comparison)},
                    {"CHANGED", changes_text(comparison)},
                    {"CHANGES", changes_html(comparison)},
                    {"SCRIPT", script}});
}

}  // namespace filecall::client
