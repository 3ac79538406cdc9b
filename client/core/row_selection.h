// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// "column=value" or "column!=value".
struct ColumnFilter {
  std::string column;
  bool is_negated = false;
  std::string value;
};
/// Failure: invalid_argument, it is none.
Result<ColumnFilter> parse_column_filter(std::string_view text);

/// Which rows of an input are meant: those that fit all filters, of these a sample, of that the
/// first ones.
struct RowSelection {
  std::vector<ColumnFilter> filters;
  std::int64_t sample = 0;  ///< 0: all.
  std::uint64_t sample_seed = 0;
  std::int64_t limit = 0;  ///< 0: all.

  bool any() const { return !filters.empty() || sample > 0 || limit > 0; }
};

/// As a run's record has it; null: all rows.
Json selection_json(const RowSelection& selection);
/// The same for people, from a record's: "filter lang=de, sample 100 (seed 0), limit 10"; empty:
/// all rows.
std::string selection_text(const Json& selection);

/// What a request's metadata say under that name: a column of its row (metadata.vars), another
/// member of the metadata, or a place with dots in a column ("address.city"). Null: nothing.
const Json* find_label(const Json& metadata, std::string_view name);
/// The value of a column: a member of the row, of its metadata.vars or its metadata, or a place
/// with dots ("body.model"). Null: there is none.
const Json* find_column(const Json& row, std::string_view column);
bool fits_filters(const Json& row, const std::vector<ColumnFilter>& filters);

/// The place of a row in the order in which rows are drawn: by its text and the seed alone, so that
/// a smaller sample is a part of a larger one, and a row that is added changes few. Pure.
std::uint64_t sample_rank(std::string_view row, std::uint64_t seed);

/// The rows that are drawn: those with the smallest ranks.
class SampleBound {
 public:
  explicit SampleBound(std::int64_t size) : size_(size) {}
  void add(std::uint64_t rank);
  /// Asked in a second pass over the same rows, in the same order.
  bool takes(std::uint64_t rank);
  /// Before another pass.
  void rewind() { ties_taken_ = 0; }

 private:
  std::int64_t size_;
  std::priority_queue<std::uint64_t> smallest_;
  std::optional<std::int64_t> ties_;  ///< How many of the largest rank are drawn.
  std::int64_t ties_taken_ = 0;
};

}  // namespace filecall::client
