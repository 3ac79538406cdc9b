// SPDX-License-Identifier: MIT
#include "ipc/token_prices.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(TokenPrices, TheNearestNameCounts) {
  TokenPrices prices;
  double input = 1;
  for (const char* name : {"gpt-5", "gpt-5*", "gpt-5-mini*", "other/gpt-5", "other/*",
                           "claude-9-20260102", "vendor/gpt-5"}) {
    EXPECT_TRUE(prices.add(name, {.input = input++}));
  }
  EXPECT_FALSE(prices.add("gpt-5", {}));
  EXPECT_FALSE(prices.add("gpt-5*", {}));
  struct Row {
    const char* provider;
    const char* requested;
    const char* answered;
    double expected;  ///< 0: none.
  };
  const Row rows[] = {
      {"p", "gpt-5", "gpt-5-2026-08-07", 1},
      {"p", "gpt-5", "gpt-5-mini-2026-08-07", 1},
      {"p", "gpt-5-2026-08-07", "gpt-5-2026-08-07", 2},
      {"p", "gpt-5-mini", "gpt-5-mini-2026-08-07", 3},
      {"p", "", "gpt-5-mini-2026-08-07", 3},
      {"other", "gpt-5", "gpt-5-2026-08-07", 4},
      {"other", "gpt-5-mini", "", 5},
      {"p", "claude-9", "claude-9-20260102", 6},
      {"p", "claude-9", "claude-9-20260303", 0},
      {"p", "vendor/gpt-5", "x", 7},
      {"", "gpt-5", "", 1},
      {"p", "", "", 0},
      {"p", "gpt", "gpt", 0},
  };
  for (const Row& row : rows) {
    const TokenPrice* price = prices.find(row.provider, row.requested, row.answered);
    EXPECT_EQ(price == nullptr ? 0 : price->input, row.expected)
        << row.provider << " " << row.requested << " " << row.answered;
  }
}

TEST(TokenPrices, CachedTokensHaveTheirOwnPrice) {
  EXPECT_DOUBLE_EQ((TokenPrice{2, 8, 1}.cost(1000, 400, 10)), (600 * 2 + 400 + 80) / 1e6);
  EXPECT_DOUBLE_EQ((TokenPrice{2, 8}.cost(1000, 400, 10)), (1000 * 2 + 80) / 1e6);
}

}  // namespace
}  // namespace filecall
