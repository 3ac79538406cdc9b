// SPDX-License-Identifier: MIT
#include "client/report/html_page.h"

#include <gtest/gtest.h>

#include "outcomes.h"

namespace filecall::client {
namespace {

constexpr const char* kEvil =
    "</script><script>alert(1)</script>{{DATA}}<img src=x onerror=alert(2)>";

RunSummary evil_summary() {
  RunSummary summary(kTestStart);
  summary.name = kEvil;
  summary.root = kEvil;
  RequestOutcome outcome = gave_up_outcome(kEvil, ErrorCode::kUnknown, kEvil);
  outcome.command = kEvil;
  summary.add(outcome);
  summary.finish(kTestStart + seconds(1), false);
  return summary;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(HtmlPage, EscapesEveryUntrustedText) {
  const std::string page = html_page(evil_summary(), "../root");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(occurrences(page, "</script"), 3u);  // The data, the library, the page's own.
  EXPECT_NE(page.find("&lt;/script&gt;"), std::string::npos);
}

TEST(HtmlPage, PutsNothingIntoTheTextsOfOthers) {
  EXPECT_NE(html_page(evil_summary(), "..").find("{{DATA}}"), std::string::npos);
}

TEST(HtmlPage, NeedsNoNetwork) {
  const std::string page = html_page(evil_summary(), "..");
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Chart.js v"), std::string::npos);
}

TEST(HtmlPage, LinksToFilesRelativeToTheRoot) {
  RunSummary summary(kTestStart);
  summary.add(gave_up_outcome("a b", ErrorCode::kUnknown, "x"));
  summary.add(success_outcome("c", 5));
  summary.finish(kTestStart + seconds(1), false);
  const std::string page = html_page(summary, "../spool");
  EXPECT_NE(page.find("href=\"../spool/failed/a%20b.json\""), std::string::npos);
  EXPECT_NE(page.find("href=\"../spool/responses/c.json\""), std::string::npos);
}

TEST(HtmlPage, IsWholeWhenNothingEnded) {
  RunSummary summary(kTestStart);
  summary.finish(kTestStart, true);
  const std::string page = html_page(summary, "..");
  EXPECT_NE(page.find("None."), std::string::npos);
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

}  // namespace
}  // namespace filecall::client
