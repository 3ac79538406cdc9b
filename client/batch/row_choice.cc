// SPDX-License-Identifier: MIT
#include "client/batch/row_choice.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "base/count_text.h"
#include "base/nearest.h"
#include "client/batch/batch_reader.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

constexpr std::size_t kColumnsMax = 1000;

void add_names(const Json& object, std::set<std::string>& names) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (names.size() < kColumnsMax) names.insert(name);
  }
}

Unexpected<Error> no_column(const std::string& column, const std::set<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--filter: no row has '{}'{}", column, suggest(column, known)));
}

/// A value that no row has is misspelt, too: the run would ask nothing, and be no failure.
Unexpected<Error> no_row(const std::vector<ColumnFilter>& filters, std::int64_t rows) {
  std::string wanted;
  for (const ColumnFilter& filter : filters) {
    wanted += fmt::format("{}{}{}{}", wanted.empty() ? "" : ", ", filter.column,
                          filter.is_negated ? "!=" : "=", excerpt(filter.value, 60));
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--filter: of {} none has {}{}", counted_noun(rows, "row"),
                          filters.size() > 1 ? "all of: " : "", wanted));
}

}  // namespace

Result<void> RowChoice::prepare(const std::vector<BatchSource>& sources) {
  sample_ = SampleBound(selection_.sample);
  if (selection_.filters.empty() && selection_.sample == 0) return {};
  std::set<std::string> names;
  std::set<std::string> met;
  BatchReader reader(sources);
  std::int64_t rows = 0;
  bool has_fitting = false;
  for (;;) {
    TRY_ASSIGN(const std::optional<RawItem> row, reader.next());
    if (!row) break;
    if (!row->problem.empty()) continue;
    const auto json = parse_json_strict(row->text, limits::kDepth);
    if (!json || !json->is_object()) continue;
    ++rows;
    add_names(*json, names);
    for (const ColumnFilter& filter : selection_.filters) {
      if (find_column(*json, filter.column) != nullptr) met.insert(filter.column);
    }
    if (!fits_filters(*json, selection_.filters)) continue;
    has_fitting = true;
    if (selection_.sample > 0) sample_.add(sample_rank(row->text, selection_.sample_seed));
  }
  for (const ColumnFilter& filter : selection_.filters) {
    if (rows > 0 && !met.contains(filter.column)) return no_column(filter.column, names);
  }
  if (rows > 0 && !has_fitting) return no_row(selection_.filters, rows);
  return {};
}

void RowChoice::rewind() {
  taken_ = 0;
  sample_.rewind();
}

bool RowChoice::takes(std::string_view row) {
  if (!selection_.any()) return true;
  if (is_over()) return false;
  if (!selection_.filters.empty()) {
    const auto json = parse_json_strict(row, limits::kDepth);
    if (!json || !json->is_object()) return true;
    if (!fits_filters(*json, selection_.filters)) return false;
  }
  if (selection_.sample > 0 && !sample_.takes(sample_rank(row, selection_.sample_seed))) {
    return false;
  }
  ++taken_;
  return true;
}

}  // namespace filecall::client
