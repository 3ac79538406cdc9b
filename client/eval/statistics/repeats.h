// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "client/eval/statistics/clusters.h"
#include "client/eval/statistics/estimate.h"

namespace filecall::client {

/// What repeats of the same question say. Only graded answers are repeats: a question whose other
/// repeats failed has fewer.

/// The unbiased estimate that at least one of k answers passes, of which `passes` of `answers`
/// did: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021). 1 <= k <= answers.
double pass_at_k(std::int64_t answers, std::int64_t passes, std::int64_t k);
/// That all of k answers pass: C(c, k) / C(n, k) (Yao et al. 2024). 1 <= k <= answers.
double pass_hat_k(std::int64_t answers, std::int64_t passes, std::int64_t k);

struct RepeatEstimate {
  std::int64_t k = 1;
  Estimate pass_at_k;
  Estimate pass_hat_k;
  std::int64_t items_left_out = 0;  ///< They have fewer than k graded answers.
};
/// The means over all items with at least k answers. Pure.
RepeatEstimate estimate_repeats(std::span<const Cluster> clusters, std::int64_t k);

/// The number of answers that most items have (the smaller one of two): the k to report. 0 without
/// items.
std::int64_t usual_repeats(std::span<const Cluster> clusters);

}  // namespace filecall::client
