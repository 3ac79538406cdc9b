// SPDX-License-Identifier: MIT
#include "client/store/row_writer.h"

#include <algorithm>
#include <utility>

#include "client/store/row_codec.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRowsAtOnce = 16;

std::string statement_text(std::string_view verb, std::size_t rows, std::string_view on_conflict) {
  std::string text = std::string(verb) + " INTO requests (" + std::string(kRowColumns) + ") VALUES";
  for (std::size_t row = 0; row < rows; ++row) {
    text += row == 0 ? " (?" : ", (?";
    for (int column = 1; column < kRowColumnCount; ++column) text += ",?";
    text += ')';
  }
  return text + std::string(on_conflict);
}

}  // namespace

Result<std::unique_ptr<RowWriter>> RowWriter::prepare(Database& database) {
  auto taken = std::make_unique<std::vector<std::string>>();
  TRY(database.add_filter("is_not_taken", [ids = taken.get()](std::string_view id) {
    ids->emplace_back(id);
    return false;
  }));
  // A row that is there is never updated, only reported.
  TRY_ASSIGN(auto insert, prepare(database, "INSERT",
                                  " ON CONFLICT (request_id) DO UPDATE SET command = command"
                                  " WHERE is_not_taken(excluded.request_id)"));
  TRY_ASSIGN(auto put, prepare(database, "INSERT OR REPLACE", ""));
  return std::unique_ptr<RowWriter>(
      new RowWriter(std::move(insert), std::move(put), std::move(taken)));
}

Result<RowWriter::Statements> RowWriter::prepare(Database& database, std::string_view verb,
                                                 std::string_view on_conflict) {
  TRY_ASSIGN(auto one, database.prepare(statement_text(verb, 1, on_conflict)));
  TRY_ASSIGN(auto many, database.prepare(statement_text(verb, kRowsAtOnce, on_conflict)));
  return Statements{std::move(one), std::move(many)};
}

Result<void> RowWriter::write(Statements& statements, std::span<const RequestRow* const> rows) {
  while (!rows.empty()) {
    const std::size_t count = rows.size() < kRowsAtOnce ? 1 : kRowsAtOnce;
    Statement& statement = count == 1 ? statements.one : statements.many;
    for (std::size_t i = 0; i < count; ++i) {
      bind_row(statement, static_cast<int>(i) * kRowColumnCount, *rows[i]);
    }
    TRY(statement.run());
    rows = rows.subspan(count);
  }
  return {};
}

Result<std::vector<bool>> RowWriter::insert(std::span<const RequestRow* const> rows) {
  taken_->clear();
  TRY(write(insert_, rows));
  std::vector<bool> is_new(rows.size(), true);
  if (taken_->empty()) return is_new;
  std::sort(taken_->begin(), taken_->end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    is_new[i] = !std::binary_search(taken_->begin(), taken_->end(), rows[i]->request_id);
  }
  return is_new;
}

Result<void> RowWriter::put(std::span<const RequestRow* const> rows) { return write(put_, rows); }

}  // namespace filecall::client
