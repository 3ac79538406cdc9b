// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/batch/column_types.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// Reads a table (RFC 4180: commas, quotes, line breaks within quotes; the first row names the
/// columns) row by row, strictly: a quote where none may be, a row with too few or too many fields,
/// and text that is not UTF-8 are reported with their line. Memory is bounded by the longest row. A
/// byte order mark is passed over. Cells are texts, but in columns that have another type; a cell
/// that is none of its type is reported with its column. Not thread-safe.
class TableReader {
 public:
  struct Row {
    std::string object;     ///< A JSON object: the columns' names and values.
    std::int64_t line = 0;  ///< Where the row begins, from 1.
    std::string problem;    ///< Why there is no object; empty: there is.
  };

  /// `name` stands in errors. `delimiter` is a comma or a tab. A type of a column that is not there
  /// is reported with the first row.
  static std::unique_ptr<TableReader> open(UniqueFd fd, std::string name, char delimiter,
                                           std::size_t row_bytes_max, ColumnTypes types = {});
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// nullopt: end of file. After a problem with quotes nothing more is read: what follows cannot be
  /// distinguished. Failure: the read's.
  Result<std::optional<Row>> next();

 private:
  class Csv;
  explicit TableReader(std::unique_ptr<Csv> csv);

  std::unique_ptr<Csv> csv_;
};

}  // namespace filecall::client
