// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "client/batch/batch_source.h"
#include "client/core/row_selection.h"

namespace filecall::client {

/// The rows of a batch that are meant. Not thread-safe.
class RowChoice {
 public:
  explicit RowChoice(RowSelection selection)
      : selection_(std::move(selection)), sample_(selection_.sample) {}

  /// Reads all rows once, when a sample is to be drawn or columns are named. Failures:
  /// invalid_argument, no row has a column that a filter names, or none fits; a source cannot be
  /// read.
  Result<void> prepare(const std::vector<BatchSource>& sources);
  /// Before each pass over the rows.
  void rewind();
  /// Whether the next row is meant. What is no object is: its problem is to be seen.
  bool takes(std::string_view row);
  /// Whether no further row can be meant.
  bool is_over() const { return selection_.limit > 0 && taken_ >= selection_.limit; }

 private:
  RowSelection selection_;
  SampleBound sample_;
  std::int64_t taken_ = 0;
};

}  // namespace filecall::client
