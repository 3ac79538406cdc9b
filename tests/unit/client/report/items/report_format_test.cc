// SPDX-License-Identifier: MIT
#include "client/report/items/report_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/report/items/root_report.h"
#include "client/report/items/score_text.h"
#include "ipc/json.h"
#include "items.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

std::string written(ReportFormat& format, const std::vector<ReportItem>& items) {
  ReportTally tally(kItemStart);
  tally.evaluation = "e";
  tally.run().root = "/root";
  std::string body;
  for (const ReportItem& item : items) {
    tally.add(item);
    body += format.item(item);
  }
  tally.finish();
  return format.head(tally) + body + format.tail(tally);
}

ReportItem hostile_item() {
  ReportItem item = graded_item("=1+1", 0);
  item.model = "@m\"]]><x>&";
  item.prompt = "-2+3\x01\x1b[31m\xff\r\n\"quoted\", \xef\xbf\xbf";
  item.answer = "  =cmd|' /C calc'!A0 ]]></failure>";
  return item;
}

TEST(CsvFormat, KeepsTextsFromBeingFormulas) {
  const std::string text = written(*csv_format(), {hostile_item()});
  EXPECT_NE(text.find("\r\n'=1+1,llm.chat,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"'@m\"\"]]><x>&\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"'-2+3"), std::string::npos) << text;
  EXPECT_NE(text.find("'  =cmd"), std::string::npos) << text;
}

TEST(CsvFormat, LeavesScoresOfFailuresEmpty) {
  const std::string text = written(*csv_format(), {given_up_item("a")});
  EXPECT_NE(text.find(",error,,,,"), std::string::npos) << text;
}

TEST(JsonFormat, IsOneObjectWithItsItems) {
  const Json json = Json::parse(
      written(*json_format(), {graded_item("a", 1), given_up_item("b"), hostile_item()}));
  EXPECT_EQ(json["format"], "filecall-report");
  EXPECT_EQ(json["items"].size(), 3U);
  EXPECT_EQ(json["items"][1]["score"], nullptr);
  EXPECT_EQ(json["all"]["counts"]["graded"], 2);
  EXPECT_EQ(json["all"]["errors"]["rate_limited"], 1);
  EXPECT_EQ(json["groups"].size(), 2U);
  EXPECT_EQ(Json::parse(written(*json_format(), {}))["items"], Json::array());
}

TEST(JunitFormat, HoldsNothingThatXmlForbids) {
  const std::string text = written(*junit_format("host"), {hostile_item(), given_up_item("b")});
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xef\xbf\xbf"), std::string::npos);
  EXPECT_EQ(text.find("]]></failure> "), std::string::npos);
  EXPECT_NE(text.find("tests=\"2\" failures=\"1\" errors=\"1\" skipped=\"0\""), std::string::npos)
      << text;
  EXPECT_NE(text.find("<error type=\"rate_limited\" message=\"too many\">"), std::string::npos);
}

TEST(TextFormat, NamesWhatNeedsALookFirst) {
  const auto format = text_format({.items_max = 2});
  const std::string text = written(*format, {graded_item("bad", 0.1), graded_item("worse", 0),
                                             graded_item("good", 1), given_up_item("gone")});
  EXPECT_EQ(text.find("good "), std::string::npos) << text;
  EXPECT_LT(text.find("gone"), text.find("worse")) << text;
  EXPECT_NE(text.find("... and 1 more"), std::string::npos) << text;
  EXPECT_NE(text.find("0.367 "), std::string::npos) << "the mean of the three graded ones\n"
                                                    << text;
}

TEST(MissedThresholds, AskEveryModel) {
  ReportTally tally(kItemStart);
  tally.add(graded_item("a", 1));
  tally.add(given_up_item("b"));
  ReportItem other = graded_item("c", 0.25);
  other.model = "other";
  tally.add(other);
  tally.finish();
  EXPECT_TRUE(missed_thresholds(tally, {}).empty());
  EXPECT_EQ(missed_thresholds(tally, {.score_min = 0.5, .error_rate_max = {}}).size(), 1U);
  EXPECT_EQ(missed_thresholds(tally, {.score_min = {}, .error_rate_max = 0.5}).size(), 0U);
  EXPECT_EQ(missed_thresholds(tally, {.score_min = 0.25, .error_rate_max = 0.4}).size(), 1U);
}

TEST(MissedThresholds, AreMissedWhereNothingIsGraded) {
  ReportTally tally(kItemStart);
  tally.add(graded_item("a", std::nullopt));
  tally.finish();
  EXPECT_EQ(missed_thresholds(tally, {.score_min = 0, .error_rate_max = {}}).size(), 1U);
}

TEST(MissedThresholds, AreMissedWhileRequestsHaveNotEnded) {
  ReportTally tally(kItemStart);
  tally.add(graded_item("a", 1));
  ReportItem pending = graded_item("b", std::nullopt);
  pending.state = RequestState::kNew;
  pending.outcome = ItemOutcome::kPending;
  tally.add(pending);
  tally.finish();
  EXPECT_TRUE(missed_thresholds(tally, {}).empty());
  for (ReportThresholds thresholds : {ReportThresholds{.score_min = 0.5, .error_rate_max = {}},
                                      ReportThresholds{.score_min = {}, .error_rate_max = 0.5}}) {
    const auto missed = missed_thresholds(tally, thresholds);
    ASSERT_EQ(missed.size(), 1U);
    EXPECT_THAT(missed[0], HasSubstr("1 of 2 requests has not ended"));
    thresholds.allows_pending = true;
    EXPECT_TRUE(missed_thresholds(tally, thresholds).empty());
  }
}

TEST(MissedThresholds, AreMissedWhileResponsesWereNeverGraded) {
  ReportItem waiting = graded_item("b", std::nullopt);
  waiting.awaits_grade = true;
  for (ReportThresholds thresholds : {ReportThresholds{.score_min = 0.5, .error_rate_max = {}},
                                      ReportThresholds{.score_min = {}, .error_rate_max = 0.5}}) {
    ReportTally tally(kItemStart);
    tally.add(graded_item("a", 1));
    tally.add(waiting);
    tally.finish();
    const auto missed = missed_thresholds(tally, thresholds);
    ASSERT_EQ(missed.size(), 1U);
    EXPECT_THAT(missed[0], HasSubstr("1 of 2 responses was never graded"));
    thresholds.allows_pending = true;
    EXPECT_TRUE(missed_thresholds(tally, thresholds).empty());
  }
  ReportTally ungraded(kItemStart);
  ungraded.add(waiting);
  ungraded.finish();
  EXPECT_TRUE(missed_thresholds(ungraded, {.score_min = {}, .error_rate_max = 0.0}).empty());
}

TEST(MissedThresholds, AskForGradesThatCount) {
  ReportTally tally(kItemStart);
  tally.add(graded_item("a", 1));
  ReportItem replaced = graded_item("b", std::nullopt);
  replaced.evaluation_problem = "it is of another response";
  tally.add(replaced);
  tally.finish();
  const auto missed = missed_thresholds(tally, {.score_min = 0.5, .error_rate_max = {}});
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_THAT(missed[0], HasSubstr("1 response has no grade that counts"));
  EXPECT_THAT(missed[0], HasSubstr(": b;"));
  EXPECT_TRUE(missed_thresholds(tally, {.score_min = {}, .error_rate_max = 0.0}).empty());
}

TEST(ReportTally, HasOneRowAModelAndPrompt) {
  ReportTally tally(kItemStart);
  for (const char* prompt : {"short", "long"}) {
    ReportItem item = graded_item(prompt, 1);
    item.prompt_name = prompt;
    item.usage.cost = 0.25;
    tally.add(item);
  }
  tally.finish();
  EXPECT_EQ(tally.groups().size(), 2U);
  EXPECT_EQ(tally.all().usage().cost, 0.5);
  EXPECT_EQ(tally.all().graders().at("exact").counts().graded, 2);
  EXPECT_EQ(tally.run().ended(), 2);
}

TEST(ScoreText, LeavesOutColumnsInWhichNothingIsKnown) {
  EXPECT_EQ(known_table({{"A", "B", "C"}, {"x", "-", "1"}, {"y", "-", "22"}}, {1, 2}),
            "A   C\nx   1\ny  22\n");
  EXPECT_EQ(known_table({{"A", "B"}, {"x", "-"}, {"y", "2"}}, {}), "A  B\nx  -\ny  2\n");
}

TEST(ScoreText, ShowsNothingWhereNothingIsKnown) {
  EXPECT_EQ(score_text({}), "-");
  EXPECT_EQ(percent_text(0.256), "25.6 %");
  UsageSums usage;
  EXPECT_EQ(cost_text(usage), "-");
  usage.unpriced = 1;
  EXPECT_EQ(cost_text(usage), "unknown");
  usage.priced = 2;
  usage.cost = 0.5;
  EXPECT_EQ(cost_text(usage), "$0.500 + unknown");
  usage.unpriced = 0;
  EXPECT_EQ(cost_text(usage), "$0.500");
  EXPECT_EQ(p_text(0.0000001), "<0.001");
}

}  // namespace
}  // namespace filecall::client
