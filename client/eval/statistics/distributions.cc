// SPDX-License-Identifier: MIT
#include "client/eval/statistics/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/check.h"

namespace filecall::client {

double normal_quantile(double probability) {
  CHECK(probability > 0 && probability < 1, "a quantile's probability lies in (0, 1)");
  return boost::math::quantile(boost::math::normal(), probability);
}

double student_t_quantile(double probability, double freedom) {
  CHECK(probability > 0 && probability < 1, "a quantile's probability lies in (0, 1)");
  CHECK(freedom > 0, "degrees of freedom are positive");
  return boost::math::quantile(boost::math::students_t(freedom), probability);
}

double student_t_two_sided(double t, double freedom) {
  CHECK(freedom > 0, "degrees of freedom are positive");
  if (std::isinf(t)) return 0;
  const boost::math::students_t distribution(freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double sign_test(std::int64_t wins, std::int64_t losses) {
  CHECK(wins >= 0 && losses >= 0, "counts are not negative");
  if (wins + losses == 0) return 1;
  const boost::math::binomial distribution(static_cast<double>(wins + losses), 0.5);
  const auto fewer = static_cast<double>(std::min(wins, losses));
  return std::min(1.0, 2 * boost::math::cdf(distribution, fewer));
}

}  // namespace filecall::client
