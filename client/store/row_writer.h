// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/store/request_row.h"
#include "client/store/sqlite.h"

namespace filecall::client {

/// Writes rows of table `requests`, many with one statement: what SQLite does once a statement
/// takes a third of its time for one row. One thread.
class RowWriter {
 public:
  /// One for a database, which must outlive it. Failure: the database's.
  static Result<std::unique_ptr<RowWriter>> prepare(Database& database);

  /// Inserts those whose ids are free, and says for each whether it was. Distinct ids.
  Result<std::vector<bool>> insert(std::span<const RequestRow* const> rows);
  /// Inserts or replaces.
  Result<void> put(std::span<const RequestRow* const> rows);

 private:
  /// The same statement for one row and for many.
  struct Statements {
    Statement one;
    Statement many;
  };
  RowWriter(Statements insert, Statements put, std::unique_ptr<std::vector<std::string>> taken)
      : insert_(std::move(insert)), put_(std::move(put)), taken_(std::move(taken)) {}
  static Result<Statements> prepare(Database& database, std::string_view verb,
                                    std::string_view on_conflict);
  static Result<void> write(Statements& statements, std::span<const RequestRow* const> rows);

  Statements insert_, put_;
  std::unique_ptr<std::vector<std::string>> taken_;  ///< Ids that an insert found there.
};

}  // namespace filecall::client
