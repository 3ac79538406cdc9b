// SPDX-License-Identifier: MIT
#include "client/report/progress_line.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace filecall::client
