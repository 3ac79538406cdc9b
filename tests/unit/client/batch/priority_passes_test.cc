// SPDX-License-Identifier: MIT
#include "client/batch/priority_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace filecall::client {
namespace {

using Priorities = std::vector<std::optional<int>>;

/// Positions in the order in which the passes take them.
std::vector<std::size_t> taken(const Priorities& input, PriorityPasses passes) {
  std::vector<std::size_t> order;
  do {
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (passes.takes(input[i])) order.push_back(i);
    }
  } while (passes.go_on());
  return order;
}

TEST(PriorityPasses, OnePassTakesAllWhereAllAreTheSame) {
  PriorityPasses none;
  EXPECT_TRUE(none.takes(std::nullopt) && none.takes(9));
  EXPECT_FALSE(none.go_on());
  PriorityPasses one({4}, true, 4);
  EXPECT_TRUE(one.takes(std::nullopt) && one.takes(4));
  EXPECT_FALSE(one.go_on());
}

TEST(PriorityPasses, AreAStableSortByPriority) {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    Priorities input;
    std::set<int> stated;
    bool has_usual = false;
    const int usual = static_cast<int>(random() % 21) - 10;
    for (std::size_t i = random() % 12; i > 0; --i) {
      const int drawn = static_cast<int>(random() % 24) - 10;
      input.push_back(drawn > 10 ? std::nullopt : std::optional(drawn));
      if (drawn > 10) has_usual = true;
      if (drawn <= 10) stated.insert(drawn);
    }
    std::vector<std::size_t> sorted(input.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return input[a].value_or(usual) > input[b].value_or(usual);
    });
    EXPECT_EQ(taken(input, {stated, has_usual, usual}), sorted) << round;
  }
}

}  // namespace
}  // namespace filecall::client
