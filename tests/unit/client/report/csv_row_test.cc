// SPDX-License-Identifier: MIT
#include "client/report/csv_row.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "outcomes.h"

namespace filecall::client {
namespace {

TEST(CsvRow, QuotesWhatWouldBreakARow) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\"\nnow"), "\"say \"\"hi\"\"\nnow\"");
}

TEST(CsvRow, HasAsManyFieldsAsTheHeader) {
  const std::string row = csv_row(gave_up_outcome("id", ErrorCode::kUnknown, "text"));
  const std::string header = csv_header();
  EXPECT_EQ(std::count(row.begin(), row.end(), ','), std::count(header.begin(), header.end(), ','));
  EXPECT_EQ(row.substr(0, 26), "id,system.echo,GAVE_UP,3,3");
}

}  // namespace
}  // namespace filecall::client
