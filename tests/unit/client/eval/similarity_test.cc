// SPDX-License-Identifier: MIT
#include "client/eval/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace filecall::client {
namespace {

/// The textbook's matrix, row by row.
std::size_t plain_distance(std::u32string_view a, std::u32string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

TEST(EditDistance, IsThatOfTheTextbookForAllLengthsAroundItsBlocks) {
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t letters = 1 + random.below(4);
    std::u32string a(random.below(200), U'a');
    std::u32string b(random.below(200), U'a');
    for (char32_t& c : a) c += static_cast<char32_t>(random.below(letters));
    for (char32_t& c : b) c += static_cast<char32_t>(random.below(letters));
    ASSERT_EQ(edit_distance(a, b), plain_distance(a, b)) << round;
  }
  for (const std::size_t size : {63U, 64U, 65U, 127U, 128U, 129U}) {
    const std::u32string a = U"x" + std::u32string(size, U'a') + U"y";
    const std::u32string b = U"z" + std::u32string(size + 3, U'b') + U"w";
    EXPECT_EQ(edit_distance(a, b), plain_distance(a, b)) << size;
  }
}

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
