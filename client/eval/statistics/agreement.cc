// SPDX-License-Identifier: MIT
#include "client/eval/statistics/agreement.h"

#include <algorithm>
#include <cmath>

#include "client/eval/statistics/distributions.h"

namespace filecall::client {
namespace {

constexpr double kNone = 1e-12;

/// One cell of the table, as shares.
struct Cell {
  std::size_t row = 0;
  std::size_t column = 0;
  double share = 0;
};

/// A table as shares, with its margins.
struct Shares {
  std::vector<Cell> cells;
  std::vector<double> rows;
  std::vector<double> columns;
  double answers = 0;
};

/// Weights of agreement, and what they come to by chance: for each row over all columns, for each
/// column over all rows, and over all.
struct Weights {
  std::vector<double> of_cells;
  std::vector<double> row_means;
  std::vector<double> column_means;
  double expected = 0;
};

Weights nominal_weights(const Shares& shares) {
  Weights weights;
  for (const Cell& cell : shares.cells) {
    weights.of_cells.push_back(cell.row == cell.column ? 1 : 0);
  }
  weights.row_means = shares.columns;
  weights.column_means = shares.rows;
  for (std::size_t i = 0; i < shares.rows.size(); ++i) {
    weights.expected += shares.rows[i] * shares.columns[i];
  }
  return weights;
}

struct Moments {
  double mean = 0;
  double square = 0;
};

Moments moments_of(const std::vector<double>& values, const std::vector<double>& shares) {
  Moments moments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    moments.mean += shares[i] * values[i];
    moments.square += shares[i] * values[i] * values[i];
  }
  return moments;
}

/// 1 less the squared distance, in units of the widest one. By moments: the number of labels does
/// not count twice.
Weights quadratic_weights(const Shares& shares, const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double widest = std::max((*high - *low) * (*high - *low), kNone);
  const Moments rows = moments_of(values, shares.rows);
  const Moments columns = moments_of(values, shares.columns);
  Weights weights;
  for (const Cell& cell : shares.cells) {
    const double distance = values[cell.row] - values[cell.column];
    weights.of_cells.push_back(1 - distance * distance / widest);
  }
  const auto mean_weight = [widest](double value, const Moments& other) {
    return 1 - (value * value - 2 * value * other.mean + other.square) / widest;
  };
  for (const double value : values) {
    weights.row_means.push_back(mean_weight(value, columns));
    weights.column_means.push_back(mean_weight(value, rows));
  }
  weights.expected = 1 - (rows.square + columns.square - 2 * rows.mean * columns.mean) / widest;
  return weights;
}

Kappa kappa_by(const Shares& shares, const Weights& weights) {
  Kappa kappa;
  double observed = 0;
  for (std::size_t i = 0; i < shares.cells.size(); ++i) {
    observed += shares.cells[i].share * weights.of_cells[i];
  }
  const double room = 1 - weights.expected;
  if (room < kNone) return kappa;
  const double value = (observed - weights.expected) / room;
  kappa.value = value;
  double sum = 0;
  for (std::size_t i = 0; i < shares.cells.size(); ++i) {
    const Cell& cell = shares.cells[i];
    const double chance = weights.row_means[cell.row] + weights.column_means[cell.column];
    const double residual = weights.of_cells[i] - chance * (1 - value);
    sum += cell.share * residual * residual;
  }
  const double centre = value - weights.expected * (1 - value);
  const double variance = (sum - centre * centre) / (shares.answers * room * room);
  const double error = std::sqrt(std::max(0.0, variance));
  kappa.standard_error = error;
  if (error < 1e-9) return kappa;
  const double reach = error * normal_quantile(0.5 + kConfidence / 2);
  kappa.interval = {std::max(-1.0, value - reach), std::min(1.0, value + reach)};
  return kappa;
}

}  // namespace

std::size_t AgreementTable::index_of(const Rating& rating) {
  const auto [entry, is_new] = indices_.try_emplace(rating.label, values_.size());
  if (is_new) values_.push_back(rating.value);
  return entry->second;
}

void AgreementTable::add(const Rating& a, const Rating& b) {
  const std::size_t row = index_of(a);
  const std::size_t column = index_of(b);
  ++counts_[{row, column}];
  ++answers_;
}

Agreement AgreementTable::agreement() const {
  Agreement agreement;
  agreement.answers = answers_;
  if (answers_ == 0) return agreement;
  Shares shares;
  shares.answers = static_cast<double>(answers_);
  shares.rows.assign(values_.size(), 0);
  shares.columns.assign(values_.size(), 0);
  double equal = 0;
  for (const auto& [at, count] : counts_) {
    const double share = static_cast<double>(count) / shares.answers;
    shares.cells.push_back({at.first, at.second, share});
    shares.rows[at.first] += share;
    shares.columns[at.second] += share;
    if (at.first == at.second) equal += static_cast<double>(count);
  }
  agreement.share = equal / shares.answers;
  agreement.share_interval = wilson_interval(*agreement.share, shares.answers);
  agreement.kappa = kappa_by(shares, nominal_weights(shares));
  agreement.weighted = kappa_by(shares, quadratic_weights(shares, values_));
  return agreement;
}

void FleissTable::add(std::span<const std::string> labels) {
  if (labels.size() < 2 || (raters_ != 0 && labels.size() != raters_)) return;
  raters_ = labels.size();
  ++answers_;
  std::map<std::string, double> counts;
  for (const std::string& label : labels) {
    ++counts[label];
    ++labels_[label];
  }
  const auto raters = static_cast<double>(raters_);
  double squares = 0;
  for (const auto& [label, count] : counts) squares += count * count;
  agreement_ += (squares - raters) / (raters * (raters - 1));
}

std::optional<double> FleissTable::kappa() const {
  if (answers_ == 0) return std::nullopt;
  const auto answers = static_cast<double>(answers_);
  const double all = answers * static_cast<double>(raters_);
  double expected = 0;
  for (const auto& [label, count] : labels_) {
    const double share = static_cast<double>(count) / all;
    expected += share * share;
  }
  if (1 - expected < kNone) return std::nullopt;
  return (agreement_ / answers - expected) / (1 - expected);
}

}  // namespace filecall::client
