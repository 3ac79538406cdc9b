// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/eval/statistics/estimate.h"

namespace filecall::client {

/// What one rater said of an answer: a label, and what it is worth.
struct Rating {
  std::string label;
  double value = 0;
};

/// Cohen's kappa of two raters, or its weighted form.
struct Kappa {
  std::optional<double> value;  ///< Absent where both said the same of everything: 0 of 0.
  std::optional<double> standard_error;
  /// Of kConfidence, within -1..1. Absent where the error is 0: it cannot be estimated then.
  std::optional<Interval> interval;
};

struct Agreement {
  std::int64_t answers = 0;     ///< That both rated.
  std::optional<double> share;  ///< Of them, those with equal labels; absent without any.
  std::optional<Interval> share_interval;  ///< Wilson's.
  Kappa kappa;                             ///< Labels are equal or not (Cohen 1960).
  Kappa weighted;                          ///< By the squared distance of the values (Cohen 1968).
};

/// Two raters' table. The standard errors are those of large samples (Fleiss, Cohen and Everitt
/// 1969), and take answers as independent. Some 50 bytes a pair of labels. Pure; not thread-safe.
class AgreementTable {
 public:
  void add(const Rating& a, const Rating& b);
  Agreement agreement() const;

 private:
  std::size_t index_of(const Rating& rating);

  std::map<std::string, std::size_t, std::less<>> indices_;
  std::vector<double> values_;  ///< By index.
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> counts_;
  std::int64_t answers_ = 0;
};

/// Fleiss' kappa of several raters (1971) over the answers that all of them rated. Pure.
class FleissTable {
 public:
  /// One answer; fewer than two ratings, or another number of them than before, are left out.
  void add(std::span<const std::string> labels);
  std::int64_t answers() const { return answers_; }
  std::optional<double> kappa() const;

 private:
  std::size_t raters_ = 0;
  std::int64_t answers_ = 0;
  double agreement_ = 0;  ///< Sum over answers.
  std::map<std::string, std::int64_t> labels_;
};

}  // namespace filecall::client
