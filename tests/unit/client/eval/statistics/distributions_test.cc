// SPDX-License-Identifier: MIT
#include "client/eval/statistics/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace filecall::client {
namespace {

// All values of these tables were computed by SciPy 1.10.

TEST(Distributions, NormalQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.95), 1.6448536269514722, 1e-12);
  EXPECT_NEAR(normal_quantile(0.005), -2.5758293035489004, 1e-12);
}

TEST(Distributions, StudentQuantilesAreThoseOfTheTables) {
  const struct {
    double probability, freedom, quantile;
  } rows[] = {{0.975, 1, 12.706204736432095},
              {0.975, 2, 4.302652729911275},
              {0.975, 9, 2.2621571627409915},
              {0.975, 29, 2.045229642132703},
              {0.975, 999, 1.9623414611334487},
              {0.95, 4, 2.1318467863266495}};  // The last by its closed form.
  for (const auto& row : rows) {
    EXPECT_NEAR(student_t_quantile(row.probability, row.freedom), row.quantile, 1e-9)
        << row.freedom;
  }
}

TEST(Distributions, TheTwoSidedTailOfStudentCountsBothSides) {
  EXPECT_NEAR(student_t_two_sided(2.0, 9), 0.07655282377070093, 1e-12);
  EXPECT_NEAR(student_t_two_sided(-1.5, 3), 0.23058386524482283, 1e-12);
  EXPECT_NEAR(student_t_two_sided(0, 5), 1, 1e-12);
  EXPECT_NEAR(student_t_two_sided(10, 100) / 9.901688984594094e-17, 1, 1e-9);
  EXPECT_EQ(student_t_two_sided(std::numeric_limits<double>::infinity(), 4), 0);
}

TEST(Distributions, TheSignTestIsExact) {
  EXPECT_NEAR(sign_test(5, 0), 0.0625, 1e-12);
  EXPECT_NEAR(sign_test(2, 8), 0.109375, 1e-12);
  EXPECT_NEAR(sign_test(3, 3), 1, 1e-12);
  EXPECT_NEAR(sign_test(40, 20), 0.01348929373119186, 1e-12);
  EXPECT_NEAR(sign_test(500, 600), 0.002819544991436429, 1e-12);
  EXPECT_EQ(sign_test(0, 0), 1);
}

}  // namespace
}  // namespace filecall::client
