// SPDX-License-Identifier: MIT
#include "client/batch/column_types.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/io.h"
#include "yaml/yaml_section.h"

namespace filecall::client {
namespace {

constexpr std::string_view kTypeNames[] = {"text", "integer", "number", "boolean", "json"};
constexpr std::size_t kTypeFileBytesMax = 1024 * 1024;

std::optional<ColumnType> parse_column_type(std::string_view name) {
  const auto* found = std::find(std::begin(kTypeNames), std::end(kTypeNames), name);
  if (found == std::end(kTypeNames)) return std::nullopt;
  return static_cast<ColumnType>(found - std::begin(kTypeNames));
}

std::string unknown_type(std::string_view name) {
  const std::vector<std::string_view> known(std::begin(kTypeNames), std::end(kTypeNames));
  return fmt::format("'{}' is no type{}", excerpt(std::string(name), 40), suggest(name, known));
}

std::string_view bare_cell(std::string_view cell) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = cell.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(kBlanks) + 1 - begin);
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<Json> integer_cell(std::string_view text) {
  if (const auto number = whole_number<std::int64_t>(text)) return Json(*number);
  if (const auto number = whole_number<std::uint64_t>(text)) return Json(*number);
  return std::nullopt;
}

std::optional<Json> number_cell(std::string_view text) {
  if (auto integer = integer_cell(text)) return integer;
  const auto number = whole_number<double>(text);
  return number && std::isfinite(*number) ? std::optional<Json>(*number) : std::nullopt;
}

std::optional<Json> boolean_cell(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (small != "true" && small != "false") return std::nullopt;
  return Json(small == "true");
}

}  // namespace

std::string_view to_string(ColumnType type) { return kTypeNames[static_cast<int>(type)]; }

Result<ColumnTypes> parse_column_types(std::string_view list) {
  ColumnTypes types;
  for (;;) {
    const std::string_view entry = list.substr(0, list.find(','));
    const std::size_t equals = entry.rfind('=');
    const std::string column(entry.substr(0, equals));
    if (equals == std::string_view::npos || column.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--types: '{}' names no column and type; write COLUMN=TYPE,... or "
                              "@FILE",
                              entry));
    }
    const auto type = parse_column_type(entry.substr(equals + 1));
    if (!type) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--types: {}: {}", column, unknown_type(entry.substr(equals + 1))));
    }
    if (!types.emplace(column, *type).second) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("--types: '{}' is there twice", column));
    }
    if (entry.size() == list.size()) return types;
    list.remove_prefix(entry.size() + 1);
  }
}

Result<ColumnTypes> parse_column_type_file(const std::string& text, const std::string& file_name) {
  std::vector<std::string> complaints;
  TRY_ASSIGN(YamlSection top, YamlSection::parse(text, file_name, complaints));
  ColumnTypes types;
  const Json read = top.take_all();
  for (const auto& [column, value] : read.items()) {
    const std::string name = value.is_string() ? value.get<std::string>() : dump_json(value);
    if (const auto type = parse_column_type(name)) {
      types.emplace(column, *type);
    } else {
      top.complain(column, unknown_type(name));
    }
  }
  if (types.empty() && complaints.empty()) {
    top.complain("", "names no column; write COLUMN: TYPE, a line each");
  }
  if (complaints.empty()) return types;
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}", fmt::join(complaints, "\n")));
}

Result<ColumnTypes> load_column_types(const std::string& option) {
  if (!option.starts_with('@')) return parse_column_types(option);
  const std::string path = option.substr(1);
  TRY_ASSIGN(const std::string text, read_file(path, kTypeFileBytesMax));
  return parse_column_type_file(text, path);
}

Result<Json, std::string> typed_cell(const std::string& cell, ColumnType type) {
  if (type == ColumnType::kText) return Json(cell);
  const std::string_view text = bare_cell(cell);
  if (text.empty()) return Json();
  std::optional<Json> value;
  std::string why;
  switch (type) {
    case ColumnType::kText:
      break;
    case ColumnType::kInteger:
      value = integer_cell(text);
      why = "is no integer";
      break;
    case ColumnType::kNumber:
      value = number_cell(text);
      why = "is no number";
      break;
    case ColumnType::kBoolean:
      value = boolean_cell(text);
      why = "is neither true nor false";
      break;
    case ColumnType::kJson: {
      auto parsed = parse_json_strict(text, limits::kDepth);
      if (parsed) return std::move(*parsed);
      why = "is no JSON: " + parsed.error().message;
      break;
    }
  }
  if (value) return *std::move(value);
  return Unexpected(std::move(why));
}

Json column_types_json(const ColumnTypes& types) {
  Json json = Json::object();
  for (const auto& [column, type] : types) json[column] = to_string(type);
  return json;
}

}  // namespace filecall::client
