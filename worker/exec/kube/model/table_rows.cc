// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/table_rows.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

/// How often a pod was restarted, and how long ago.
struct Restarts {
  std::int64_t count = 0;
  Json ago;
};

std::optional<Restarts> restarts_of(const Json& cell) {
  if (cell.is_number_integer()) return Restarts{cell.get<std::int64_t>(), nullptr};
  if (!cell.is_string()) return std::nullopt;
  std::string_view text = cell.get_ref<const std::string&>();
  Restarts out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.count);
  if (error != std::errc() || out.count < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return out;
  constexpr std::string_view kBegin = " (";
  constexpr std::string_view kEnd = " ago)";
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  text.remove_suffix(kEnd.size());
  out.ago = std::string(text);
  return out;
}

std::optional<std::size_t> column_of(const TableRows& table, const char* name) {
  const auto found = std::ranges::find(table.columns, Json(name));
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

bool has_equal_cells(const Json& rows, std::size_t column) {
  return std::ranges::all_of(rows, [&](const Json& row) { return row[column] == rows[0][column]; });
}

}  // namespace

TableRows table_rows(const Json& table, bool has_namespaces) {
  static const Json kNone = Json::array();
  TableRows out;
  std::vector<std::size_t> shown;
  if (has_namespaces) out.columns.push_back("Namespace");
  const Json& given = member(table, "columnDefinitions");
  const Json& definitions = given.is_array() ? given : kNone;
  const auto is_shown = [&](std::size_t i) {
    return count_member(definitions[i], "priority").value_or(0) <= 0;
  };
  bool has_name = false;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (is_shown(i)) shown.push_back(i);
    has_name = has_name || (is_shown(i) && text_member(definitions[i], "name") == "Name");
  }
  if (!has_name) out.columns.push_back("Name");
  for (const std::size_t i : shown) out.columns.push_back(text_member(definitions[i], "name"));
  const Json& rows = member(table, "rows");
  for (const Json& row : rows.is_array() ? rows : kNone) {
    const Json& metadata = member(member(row, "object"), "metadata");
    const Json& cells = member(row, "cells");
    Json line = Json::array();
    if (has_namespaces) line.push_back(text_member(metadata, "namespace"));
    if (!has_name) line.push_back(text_member(metadata, "name"));
    for (const std::size_t i : shown) {
      line.push_back(cells.is_array() && i < cells.size() ? cells[i] : Json());
    }
    out.rows.push_back(std::move(line));
  }
  return out;
}

void split_restarts(TableRows& table) {
  const auto column = column_of(table, "Restarts");
  if (!column) return;
  std::vector<Restarts> read;
  bool has_times = false;
  for (const Json& row : table.rows) {
    auto restarts = restarts_of(row[*column]);
    if (!restarts) return;
    has_times = has_times || !restarts->ago.is_null();
    read.push_back(*std::move(restarts));
  }
  const auto after = static_cast<std::ptrdiff_t>(*column) + 1;
  if (has_times) table.columns.insert(table.columns.begin() + after, "Last Restart");
  for (std::size_t i = 0; i < read.size(); ++i) {
    Json& row = table.rows[i];
    row[*column] = read[i].count;
    if (has_times) row.insert(row.begin() + after, std::move(read[i].ago));
  }
}

Json take_equal_columns(TableRows& table, std::size_t rows_min) {
  Json out = Json::object();
  if (table.rows.empty() || table.rows.size() < rows_min) return out;
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const std::string name = table.columns[column].get<std::string>();
    // A name that stands twice would be one member.
    const bool is_kept = name == "Name" || name == "Namespace" || out.contains(name) ||
                         std::ranges::count(table.columns, Json(name)) > 1;
    if (is_kept || !has_equal_cells(table.rows, column)) continue;
    out[name] = table.rows[0][column];
    table.columns.erase(column);
    for (Json& row : table.rows) row.erase(column);
  }
  return out;
}

}  // namespace filecall::worker::kube
