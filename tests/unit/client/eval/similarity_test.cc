// SPDX-License-Identifier: MIT
#include "client/eval/similarity.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(EditSimilarity, GoesFromZeroToOne) {
  EXPECT_EQ(edit_similarity("", ""), 1.0);
  EXPECT_EQ(edit_similarity("abc", ""), 0.0);
  EXPECT_EQ(edit_similarity("abc", "abc"), 1.0);
  EXPECT_EQ(edit_similarity("kitten", "sitting"), 1.0 - 3.0 / 7.0);
  EXPECT_EQ(edit_similarity("\xc3\xa4", "a"), 0.0);  // One code point, not two bytes.
}

TEST(EditSimilarity, RefusesTextsThatWouldHoldUpEverything) {
  const std::string longest(kEditLengthMax, 'a');
  EXPECT_TRUE(edit_similarity(longest, "b"));
  EXPECT_FALSE(edit_similarity(longest + "a", "b"));
  EXPECT_FALSE(edit_similarity("b", longest + "a"));
}

TEST(TokenF1, CountsWordsAsOftenAsTheyOccur) {
  EXPECT_EQ(token_f1("the cat", "The cat."), 1.0);
  EXPECT_EQ(token_f1("cat", "the cat"), 2.0 / 3.0);
  EXPECT_EQ(token_f1("cat cat cat", "cat"), 0.5);
  EXPECT_EQ(token_f1("dog", "cat"), 0.0);
  EXPECT_EQ(token_f1("", "cat"), 0.0);
  EXPECT_EQ(token_f1("...", ""), 1.0);
}

}  // namespace
}  // namespace filecall::client
