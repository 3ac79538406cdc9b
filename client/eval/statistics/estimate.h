// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "client/eval/statistics/clusters.h"

namespace filecall::client {

/// Every interval of a report covers with this probability.
inline constexpr double kConfidence = 0.95;
/// With fewer items than this an estimate says little; reports say so beside it. (Intervals stay
/// honest: Student's t widens them. Cameron and Miller 2015 warn below 20 to 50 clusters.)
inline constexpr std::int64_t kFewItems = 20;

struct Interval {
  double low = 0;
  double high = 0;
};

enum class IntervalMethod : std::uint8_t { kNone, kStudentT, kWilson, kBootstrap };
/// "none", "student-t", "wilson", "bootstrap".
std::string_view to_string(IntervalMethod method);

/// A mean over items of values in 0..1, and how far it can be trusted.
struct Estimate {
  std::optional<double> value;  ///< Absent without observations.
  std::int64_t observations = 0;
  std::int64_t items = 0;
  std::optional<double> standard_error;  ///< Absent below two items.
  std::optional<Interval> interval;      ///< Of kConfidence, within 0..1; absent as `value`.
  IntervalMethod method = IntervalMethod::kNone;

  bool has_few_items() const { return items < kFewItems; }
};

/// How means are estimated; pure, any thread.
///
/// The value is the mean over items: an item's answers are averaged first, so that each question
/// counts once however often it was answered; a comparison of two runs takes the same means. Its
/// standard error is that of a mean of C items, sqrt(sum of (item's mean - mean)^2 / (C-1) / C);
/// where all items have as many answers, it is the one that is clustered by item (Miller, "Adding
/// Error Bars to Evals", 2024).
///
/// The interval is
/// - Wilson's (1927), when it is a plain proportion: each item has one answer, 0 or 1. It stays
///   within 0..1 and is right at 0 of n and n of n, where the normal interval has no width.
/// - Student's t with C-1 degrees of freedom on the clustered error otherwise, cut to 0..1. For
///   many items it is the normal interval; for few it is honestly wider.
/// - Wilson's with C trials, when all items have the same mean, or there is only one: the error is
///   then 0 or unknown, and no variable within 0..1 varies more than a proportion of its mean.
Estimate mean_score(std::span<const Cluster> clusters);
/// The same for the share of passed answers.
Estimate pass_rate(std::span<const Cluster> clusters);

/// A mean of one value for each item, with Student's t (or Wilson's, as above).
Estimate mean_of_items(std::span<const double> values);

/// Wilson's score interval of `share` of `trials` > 0 trials; `share` in 0..1.
Interval wilson_interval(double share, double trials, double confidence = kConfidence);

}  // namespace filecall::client
