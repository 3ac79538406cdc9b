// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "client/report/items/html_sections.h"
#include "client/report/items/report_format.h"
#include "items.h"

namespace filecall::client {
namespace {

constexpr const char* kEvil =
    "</script><script>alert(1)</script>{{DATA}}<img src=x onerror=alert(2)>";

std::string page_of(const std::vector<ReportItem>& items, const std::string& root = "../root",
                    const std::string& name = "batch", std::int64_t announced = 10) {
  const auto format = html_format(announced, root);
  ReportTally tally(kItemStart);
  tally.evaluation = name;
  tally.run().root = name;
  tally.run().name = name;
  std::string body;
  for (const ReportItem& item : items) {
    tally.add(item);
    body += format->item(item);
  }
  tally.finish();
  const std::string head = format->head(tally);
  return head + body + format->tail(tally);
}

std::vector<ReportItem> evil_items() {
  ReportItem graded = graded_item(kEvil, 0.5);
  graded.model = graded.prompt_name = graded.prompt = graded.answer = graded.item = kEvil;
  graded.command = kEvil;
  graded.evaluation->grades[0].name = graded.evaluation->grades[0].reason = kEvil;
  ReportItem lost = given_up_item("lost", kEvil);
  lost.error_message = kEvil;
  lost.command = kEvil;
  return {graded, lost};
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(HtmlFormat, EscapesEveryUntrustedText) {
  const std::string page = page_of(evil_items(), kEvil, kEvil);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  // The data, one block of items, the library, the page's own.
  EXPECT_EQ(occurrences(page, "</script"), 4u);
  EXPECT_NE(page.find("&lt;/script&gt;"), std::string::npos);
}

TEST(HtmlFormat, LeavesOutAColumnThatNoRowFills) {
  const std::vector<std::string> heads = {"model", "prompt", "refused", "cut"};
  const std::string table = html_table(heads, 2, {{"m", "-", "-", "-"}, {"n", "-", "-", "1"}});
  EXPECT_EQ(table.find("refused"), std::string::npos);
  EXPECT_NE(table.find(">prompt<"), std::string::npos) << "what names a row stays";
  EXPECT_NE(table.find(">cut<"), std::string::npos);
  EXPECT_EQ(occurrences(table, "<td"), 6u);
}

TEST(HtmlFormat, PutsNothingIntoTheTextsOfOthers) {
  EXPECT_NE(page_of(evil_items()).find("{{DATA}}"), std::string::npos);
}

TEST(HtmlFormat, RunsItsOwnScriptsAndNoOthers) {
  const std::string page = page_of(evil_items());
  const std::string policy = page.substr(page.find("default-src"), 400);
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_EQ(policy.substr(0, policy.find('>')).find("unsafe"), std::string::npos) << policy;
}

TEST(HtmlFormat, NeedsNoNetwork) {
  const std::string page = page_of(evil_items());
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_NE(page.find("Chart.js v"), std::string::npos);
}

TEST(HtmlFormat, CutsLongTextsToWhatABrowserCanHold) {
  ReportItem item = graded_item("a", 1);
  item.answer = std::string(100'000, 'x') + "end";
  EXPECT_EQ(page_of({item}).find("xend"), std::string::npos);
  EXPECT_NE(page_of({item}).find("(cut here)"), std::string::npos);
  item.answer = "\xc3\xa4" + std::string(300, 'x');
  const std::string large = page_of({item}, "r", "b", 1'000'000);
  EXPECT_NE(large.find("Texts are cut at 64 bytes."), std::string::npos);
  EXPECT_LT(occurrences(large.substr(large.find("class=\"items\""), 1000), "x"), 100U);
}

TEST(HtmlFormat, IsWholeWithoutAnyItem) {
  const std::string page = page_of({});
  EXPECT_NE(page.find("None."), std::string::npos);
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

}  // namespace
}  // namespace filecall::client
