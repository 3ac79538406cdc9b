// SPDX-License-Identifier: MIT
#include "client/eval/statistics/bootstrap.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

const std::vector<double> kScores = {0, 0.1, 0.2, 0.9, 1, 1, 0.4, 0.6, 0.3, 0.5};

TEST(Bootstrap, IsNearWhatSciPyFinds) {
  // scipy.stats.bootstrap(method="percentile") with 200 000 resamples: 0.29 to 0.72.
  const auto interval = bootstrap_interval(kScores, {.seed = 7, .resamples = 20'000});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 0.29, 0.011);
  EXPECT_NEAR(interval->high, 0.72, 0.011);
}

TEST(Bootstrap, SaysTheSameForTheSameSeed) {
  const auto once = bootstrap_interval(kScores, {.seed = 3, .resamples = 1000});
  const auto again = bootstrap_interval(kScores, {.seed = 3, .resamples = 1000});
  const auto other = bootstrap_interval(kScores, {.seed = 4, .resamples = 1000});
  EXPECT_EQ(once->low, again->low);
  EXPECT_EQ(once->high, again->high);
  EXPECT_TRUE(once->low != other->low || once->high != other->high);
}

TEST(Bootstrap, NeedsTwoItems) {
  EXPECT_FALSE(bootstrap_interval(std::vector<double>{0.5}, {.seed = 1}));
}

}  // namespace
}  // namespace filecall::client
