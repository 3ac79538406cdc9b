// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace filecall::client {

/// The few distributions that estimates need, by Boost.Math. Pure; any thread; arguments outside
/// their range are programmer errors.

/// The value that a standard normal variable stays below with `probability`, in (0, 1).
double normal_quantile(double probability);
/// The same for Student's t with `freedom` > 0 degrees of freedom.
double student_t_quantile(double probability, double freedom);
/// How probable a value as far from 0 as `t` (on either side) is. `t` may be infinite.
double student_t_two_sided(double t, double freedom);
/// The exact two-sided sign test: how probable a split as uneven as this is when either side of
/// each trial is equally likely. 1 without trials.
double sign_test(std::int64_t wins, std::int64_t losses);

}  // namespace filecall::client
