// SPDX-License-Identifier: MIT
#include "client/core/row_selection.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/hash.h"

namespace filecall::client {
namespace {

const Json* member_at(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

std::string filter_text(const ColumnFilter& filter) {
  return fmt::format("{}{}{}", filter.column, filter.is_negated ? "!=" : "=", filter.value);
}

}  // namespace

Result<ColumnFilter> parse_column_filter(std::string_view text) {
  const std::size_t equals = text.find('=');
  ColumnFilter filter;
  if (equals != text.npos) {
    filter.is_negated = equals > 0 && text[equals - 1] == '!';
    filter.column = text.substr(0, equals - (filter.is_negated ? 1 : 0));
    filter.value = text.substr(equals + 1);
  }
  if (!filter.column.empty()) return filter;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--filter: '{}' is none; write COLUMN=VALUE or COLUMN!=VALUE", text));
}

Json selection_json(const RowSelection& selection) {
  Json json;
  for (const ColumnFilter& filter : selection.filters) {
    json["filter"].push_back(filter_text(filter));
  }
  if (selection.sample > 0) {
    json["sample"] = selection.sample;
    json["sample_seed"] = selection.sample_seed;
  }
  if (selection.limit > 0) json["limit"] = selection.limit;
  return json;
}

std::string selection_text(const Json& selection) {
  std::vector<std::string> parts;
  if (const Json* filters = member_at(selection, "filter"); filters && filters->is_array()) {
    for (const Json& one : *filters) parts.push_back("filter " + value_text(one));
  }
  const Json* seed = member_at(selection, "sample_seed");
  if (const Json* sample = member_at(selection, "sample")) {
    parts.push_back(fmt::format("sample {} (seed {})", value_text(*sample),
                                seed == nullptr ? "0" : value_text(*seed)));
  }
  if (const Json* limit = member_at(selection, "limit")) {
    parts.push_back("limit " + value_text(*limit));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

const Json* find_label(const Json& metadata, std::string_view name) {
  const Json* vars = member_at(metadata, "vars");
  if (vars != nullptr) {
    if (const Json* variable = member_at(*vars, name)) return variable;
  }
  if (const Json* member = member_at(metadata, name)) return member;
  const std::size_t dot = name.find('.');
  if (vars == nullptr || dot == name.npos) return nullptr;
  const Json* outer = member_at(*vars, name.substr(0, dot));
  return outer == nullptr ? nullptr : find_column(*outer, name.substr(dot + 1));
}

const Json* find_column(const Json& row, std::string_view column) {
  if (const Json* own = member_at(row, column)) return own;
  if (const Json* metadata = member_at(row, "metadata")) {
    if (const Json* label = find_label(*metadata, column)) return label;
  }
  const std::size_t dot = column.find('.');
  if (dot == column.npos) return nullptr;
  const Json* outer = member_at(row, column.substr(0, dot));
  return outer == nullptr ? nullptr : find_column(*outer, column.substr(dot + 1));
}

bool fits_filters(const Json& row, const std::vector<ColumnFilter>& filters) {
  return std::all_of(filters.begin(), filters.end(), [&row](const ColumnFilter& filter) {
    const Json* value = find_column(row, filter.column);
    return (value != nullptr && value_text(*value) == filter.value) != filter.is_negated;
  });
}

std::uint64_t sample_rank(std::string_view row, std::uint64_t seed) {
  return hash64(fmt::format("{}\n{}", seed, row));
}

void SampleBound::add(std::uint64_t rank) {
  smallest_.push(rank);
  if (static_cast<std::int64_t>(smallest_.size()) > size_) smallest_.pop();
}

bool SampleBound::takes(std::uint64_t rank) {
  if (smallest_.empty()) return false;
  if (!ties_) {
    // Equal rows have equal ranks: the first ones are drawn.
    auto rest = smallest_;
    ties_ = 0;
    for (; !rest.empty() && rest.top() == smallest_.top(); rest.pop()) ++*ties_;
  }
  if (rank != smallest_.top()) return rank < smallest_.top();
  return ties_taken_++ < *ties_;
}

}  // namespace filecall::client
