// SPDX-License-Identifier: MIT
#include "client/eval/statistics/paired.h"

#include <algorithm>
#include <cmath>

#include "client/eval/statistics/distributions.h"

namespace filecall::client {
namespace {

/// Scores this near are a tie: they differ by rounding (0.1 + 0.2 against 0.3).
constexpr double kTie = 1e-9;

void count_sides(std::span<const ItemPair> pairs, PairedComparison& result) {
  for (const ItemPair& pair : pairs) {
    const double difference = pair.b - pair.a;
    ++(difference > kTie ? result.wins : difference < -kTie ? result.losses : result.ties);
  }
  result.sign_test_p = sign_test(result.wins, result.losses);
}

void estimate_difference(std::span<const ItemPair> pairs, PairedComparison& result) {
  const auto count = static_cast<double>(pairs.size());
  double sum_a = 0;
  double sum_b = 0;
  for (const ItemPair& pair : pairs) {
    sum_a += pair.a;
    sum_b += pair.b;
  }
  result.mean_a = sum_a / count;
  result.mean_b = sum_b / count;
  result.difference = (sum_b - sum_a) / count;
  if (pairs.size() < 2) return;
  double squares = 0;
  for (const ItemPair& pair : pairs) {
    const double residual = pair.b - pair.a - result.difference;
    squares += residual * residual;
  }
  const double error = std::sqrt(squares / (count - 1) / count);
  result.standard_error = error;
  if (error < kTie) {
    result.p_value = result.sign_test_p;
    return;
  }
  const double reach = error * student_t_quantile(0.5 + kConfidence / 2, count - 1);
  result.interval = {std::max(-1.0, result.difference - reach),
                     std::min(1.0, result.difference + reach)};
  result.p_value = student_t_two_sided(result.difference / error, count - 1);
}

}  // namespace

std::vector<ItemPair> pairs_of(std::span<const Cluster> a, std::span<const Cluster> b) {
  std::vector<ItemPair> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].item == b[j].item) {
      pairs.push_back({a[i].item, a[i].mean_score(), b[j].mean_score()});
      ++i;
      ++j;
    } else {
      ++(a[i].item < b[j].item ? i : j);
    }
  }
  return pairs;
}

PairedComparison compare_paired(std::span<const Cluster> a, std::span<const Cluster> b) {
  const std::vector<ItemPair> pairs = pairs_of(a, b);
  PairedComparison result;
  result.items = static_cast<std::int64_t>(pairs.size());
  result.only_a = static_cast<std::int64_t>(a.size()) - result.items;
  result.only_b = static_cast<std::int64_t>(b.size()) - result.items;
  if (pairs.empty()) return result;
  count_sides(pairs, result);
  estimate_difference(pairs, result);
  return result;
}

}  // namespace filecall::client
