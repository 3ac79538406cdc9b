// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "client/eval/statistics/estimate.h"

namespace filecall::client {

/// How the bootstrap draws. The seed has no default: the same report twice says the same.
struct BootstrapOptions {
  std::uint64_t seed = 0;
  std::int64_t resamples = 10'000;
};

/// Percentile interval of kConfidence of the mean, from resamples of whole items with replacement
/// (Efron 1979). `values`: one an item, e.g. its mean score, or its difference between two runs.
/// For scores that are far from normal; the t interval is the default. Costs values x resamples; at
/// most 2e8 draws are made, and never fewer than 1000 resamples. Nothing below two items. Pure.
std::optional<Interval> bootstrap_interval(std::span<const double> values,
                                           const BootstrapOptions& options);

}  // namespace filecall::client
