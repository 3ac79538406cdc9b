// SPDX-License-Identifier: MIT
#include "client/report/csv_row.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

TEST(CsvRow, QuotesWhatWouldBreakARow) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\"\nnow"), "\"say \"\"hi\"\"\nnow\"");
}

TEST(CsvRow, HoldsNoCharacterThatATerminalOrASheetObeys) {
  EXPECT_EQ(csv_text("a\xe2\x80\xae\x7f\xc2\x9b\x1b"
                     "b"),
            "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
}

TEST(CsvRow, KeepsTextsFromBeingFormulas) {
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)", "  =1"}) {
    EXPECT_EQ(csv_text(formula), "'" + std::string(formula));
  }
  EXPECT_EQ(csv_text("\t=1"), "'\t=1");
  EXPECT_EQ(csv_text("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_text("a=b"), "a=b");
  EXPECT_EQ(csv_text("  "), "  ");
  EXPECT_EQ(csv_text("=a,b"), "\"'=a,b\"");
}

}  // namespace
}  // namespace filecall::client
