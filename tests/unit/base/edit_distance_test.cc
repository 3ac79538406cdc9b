// SPDX-License-Identifier: MIT
#include "base/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"

namespace filecall {
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

}  // namespace
}  // namespace filecall
