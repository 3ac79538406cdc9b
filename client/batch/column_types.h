// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// What the cells of a table's column are.
enum class ColumnType : std::uint8_t {
  kText,
  kInteger,  ///< Of 64 bits.
  kNumber,   ///< Finite.
  kBoolean,  ///< true or false, in any case, as spreadsheets write them.
  kJson,     ///< Any JSON text.
};
/// By the columns' names; a column that is not there is text.
using ColumnTypes = std::map<std::string, ColumnType, std::less<>>;

std::string_view to_string(ColumnType type);

/// "population=integer,tags=json". Failure: invalid_argument, what is wrong with it. Pure, as all
/// but the last.
Result<ColumnTypes> parse_column_types(std::string_view list);
/// A YAML file of columns and types: "population: integer". Failure: invalid_argument, with line.
Result<ColumnTypes> parse_column_type_file(const std::string& text, const std::string& file_name);
/// "LIST", or "@FILE". Failures: also the file's.
Result<ColumnTypes> load_column_types(const std::string& option);

/// A cell as a value of the type. White space around it does not count, but in texts; an empty
/// cell is null, but in texts. The string says what the cell is not: "is no integer".
Result<Json, std::string> typed_cell(const std::string& cell, ColumnType type);

/// {"population": "integer"}: for a run's record.
Json column_types_json(const ColumnTypes& types);

}  // namespace filecall::client
