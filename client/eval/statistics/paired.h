// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "client/eval/statistics/clusters.h"
#include "client/eval/statistics/estimate.h"

namespace filecall::client {

/// Two runs on the items that both have graded: b minus a.
struct PairedComparison {
  std::int64_t items = 0;   ///< Common ones.
  std::int64_t only_a = 0;  ///< Items that one run alone has graded; not compared.
  std::int64_t only_b = 0;
  double mean_a = 0;  ///< Over the common items, each counted once.
  double mean_b = 0;
  double difference = 0;
  std::optional<double> standard_error;  ///< Absent below two items.
  std::optional<Interval> interval;      ///< Of kConfidence, within -1..1.
  std::optional<double> p_value;         ///< Two-sided, that there is no difference.
  double sign_test_p = 1;                ///< Exact, of wins against losses; needs no distribution.
  std::int64_t wins = 0;                 ///< Items where b is better.
  std::int64_t ties = 0;
  std::int64_t losses = 0;

  bool has_few_items() const { return items < kFewItems; }
};

/// One item in both runs.
struct ItemPair {
  std::uint64_t item = 0;
  double a = 0;
  double b = 0;
};

/// The items in both, in order of the keys. Both lists are ordered, as clusters_of() returns them.
/// Pure, as all here.
std::vector<ItemPair> pairs_of(std::span<const Cluster> a, std::span<const Cluster> b);

/// The paired t-test on the items' mean scores (repeats are averaged first, so that an item counts
/// once). Pairing removes what the runs share, the difficulty of the questions: it sees differences
/// that two separate intervals do not. When every item differs by the same amount there is no
/// spread to estimate from: no interval then, and the p value is the sign test's.
PairedComparison compare_paired(std::span<const Cluster> a, std::span<const Cluster> b);

}  // namespace filecall::client
