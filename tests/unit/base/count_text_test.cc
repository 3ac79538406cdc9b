// SPDX-License-Identifier: MIT
#include "base/count_text.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(CountText, GroupsDigits) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1'234'567), "1 234 567");
  EXPECT_EQ(grouped_digits(-1234), "-1 234");
}

TEST(CountText, HasOneOfOneThingAlone) {
  EXPECT_EQ(counted_noun(0, "request"), "0 requests");
  EXPECT_EQ(counted_noun(1, "request"), "1 request");
  EXPECT_EQ(counted_noun(1200, "request"), "1 200 requests");
  EXPECT_EQ(counted_noun(1, "reply", "replies"), "1 reply");
  EXPECT_EQ(counted_noun(2, "reply", "replies"), "2 replies");
  EXPECT_EQ(one_or_many(1, "is", "are"), "is");
  EXPECT_EQ(one_or_many(0, "is", "are"), "are");
}

TEST(CountText, NamesAPartByItsWhole) {
  EXPECT_EQ(part_of(1, 1, "request"), "1 of 1 request");
  EXPECT_EQ(part_of(1, 3, "request"), "1 of 3 requests");
  EXPECT_EQ(part_of(0, 1, "reply", "replies"), "0 of 1 reply");
}

}  // namespace
}  // namespace filecall
