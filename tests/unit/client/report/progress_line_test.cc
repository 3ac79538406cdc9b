// SPDX-License-Identifier: MIT
#include "client/report/progress_line.h"

#include <gtest/gtest.h>

#include "client/report/progress_json.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

ProgressView halfway() {
  ProgressView view;
  view.by_state = {0, 256, 3, 4990, 10};
  view.retries = 21;
  view.worker = "ready";
  view.total = 10'000;
  view.rate = 125;
  return view;
}

TEST(ProgressLine, ShowsEverythingWhenThereIsRoom) {
  EXPECT_EQ(progress_bar(halfway(), 160, false),
            "[##############..............]  50%  5 000/10 000  125/s  ETA 40s  "
            "gave up 10  waiting 3  polling 256  retries 21  worker ready");
}

TEST(ProgressLine, NeverExceedsTheWidth) {
  for (std::size_t columns = 1; columns <= 200; ++columns) {
    const std::string line = progress_bar(halfway(), columns, false);
    EXPECT_LE(character_count(line), columns) << line;
    EXPECT_FALSE(line.empty());
  }
}

TEST(ProgressLine, LeavesOutTheLeastImportantFirst) {
  const std::string narrow = progress_bar(halfway(), 40, false);
  EXPECT_NE(narrow.find("50%"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("ETA"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("retries"), std::string::npos) << narrow;
}

TEST(ProgressLine, SaysAHundredPercentOnlyWhenAllEnded) {
  ProgressView view = halfway();
  view.by_state = {0, 1, 0, 9999, 0};
  EXPECT_NE(progress_text(view).find("99%"), std::string::npos);
  view.by_state = {0, 0, 0, 10'000, 0};
  EXPECT_NE(progress_text(view).find("100%"), std::string::npos);
  EXPECT_FALSE(time_left(view).has_value());
}

TEST(ProgressLine, WithoutATotalThereIsNeitherBarNorEta) {
  ProgressView view = halfway();
  view.total = -1;
  const std::string line = progress_bar(view, 120, false);
  EXPECT_EQ(line.find('['), std::string::npos);
  EXPECT_EQ(line.find("ETA"), std::string::npos);
  EXPECT_EQ(line.find("5 000 ended"), 0u);
}

TEST(ProgressLine, AnEmptyBatchIsDone) {
  ProgressView view;
  view.total = 0;
  EXPECT_NE(progress_bar(view, 60, false).find("100%"), std::string::npos);
}

TEST(ProgressLine, ColourTakesNoColumns) {
  const std::string plain = progress_bar(halfway(), 100, false);
  std::string coloured = progress_bar(halfway(), 100, true);
  EXPECT_NE(coloured, plain);
  for (const char* escape : {"\x1b[31m", "\x1b[33m", "\x1b[0m"}) {
    for (auto at = coloured.find(escape); at != std::string::npos; at = coloured.find(escape)) {
      coloured.erase(at, std::string(escape).size());
    }
  }
  EXPECT_EQ(coloured, plain);
}

TEST(ProgressLine, NamesATroubledWorkerBeforeCounts) {
  ProgressView view = halfway();
  view.worker = "not running";
  EXPECT_NE(progress_bar(view, 60, false).find("worker not running"), std::string::npos);
}

ProgressView with_models() {
  ProgressView view = halfway();
  view.spend = {2500, 30'000, 20'000, 1.25, 0};
  view.tokens_rate = 1234.5;
  view.lanes = {{"llm.openai", 48, 64, 0, ""}};
  return view;
}

TEST(ProgressLine, ShowsTokensCostAndProviders) {
  EXPECT_EQ(progress_text(with_models()),
            "50%  5 000/10 000  125/s  ETA 40s  $1.25 of ~$3.75  1 234 tokens/s  gave up 10  "
            "waiting 3  polling 256  retries 21  llm.openai 48/64  worker ready");
}

TEST(ProgressLine, APausedOrBrokenProviderIsLeftOutLast) {
  ProgressView view = with_models();
  view.lanes[0].pause_ms = 12'000;
  EXPECT_NE(progress_bar(view, 60, false).find("llm.openai paused 12s"), std::string::npos);
  view.lanes[0].problem = "authentication: wrong key";
  EXPECT_NE(progress_bar(view, 70, false).find("llm.openai: authentication: wrong key"),
            std::string::npos);
}

TEST(ProgressLine, ACostIsProjectedOnlyWhenEveryCallHasAPrice) {
  ProgressView view = with_models();
  EXPECT_DOUBLE_EQ(*projected_cost(view), 3.75);
  view.spend.unpriced = 1;
  EXPECT_FALSE(projected_cost(view).has_value());
  view = with_models();
  view.total = -1;
  EXPECT_FALSE(projected_cost(view).has_value());
}

TEST(ProgressLine, ProgramsGetTheSameUnrounded) {
  const Json json = progress_json(with_models());
  EXPECT_EQ(json["ended"], 5000);
  EXPECT_EQ(json["states"]["POLLING"], 256);
  EXPECT_DOUBLE_EQ(json["cost_projected"], 3.75);
  EXPECT_DOUBLE_EQ(json["tokens_per_second"], 1234.5);
  EXPECT_EQ(json["destinations"][0]["window"], 64);
}

}  // namespace
}  // namespace filecall::client
