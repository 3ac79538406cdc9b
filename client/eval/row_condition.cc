// SPDX-License-Identifier: MIT
#include "client/eval/row_condition.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "client/core/row_selection.h"

namespace filecall::client {
namespace {

bool is_value(const Json& value) { return value.is_primitive() && !value.is_null(); }

std::string condition_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

bool part_holds(const RowCondition::Part& part, const Json& metadata) {
  const Json* value = find_label(metadata, part.column);
  if (value == nullptr) return false;
  const auto is_wanted = [&part](const Json& one) {
    const std::string text = condition_value(one);
    return std::find(part.values.begin(), part.values.end(), text) != part.values.end();
  };
  return value->is_array() ? std::any_of(value->begin(), value->end(), is_wanted)
                           : is_wanted(*value);
}

bool all_hold(const std::vector<RowCondition::Part>& parts, const Json& metadata) {
  return std::all_of(parts.begin(), parts.end(), [&metadata](const RowCondition::Part& part) {
    return part_holds(part, metadata);
  });
}

std::vector<RowCondition::Part> read_parts(YamlSection& section, std::string_view key) {
  std::vector<RowCondition::Part> parts;
  if (!section.has(key)) return parts;
  const Json read = section.read_json(key);
  if (!read.is_object() || read.empty()) {
    section.complain(key, "must be a mapping of columns to values, e.g. {category: [math, logic]}");
    return parts;
  }
  for (const auto& [column, wanted] : read.items()) {
    RowCondition::Part part{column, {}};
    const Json list = wanted.is_array() ? wanted : Json::array({wanted});
    if (list.empty() || !std::all_of(list.begin(), list.end(), is_value)) {
      section.complain(
          key, fmt::format("'{}' must have a value, or a list of values: any of them", column));
      continue;
    }
    for (const Json& one : list) part.values.push_back(condition_value(one));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string parts_text(const std::vector<RowCondition::Part>& parts) {
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (const RowCondition::Part& part : parts) {
    texts.push_back(fmt::format("{}={}", part.column, fmt::join(part.values, " or ")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

bool RowCondition::fits(const Json& metadata) const {
  return all_hold(when, metadata) && (unless.empty() || !all_hold(unless, metadata));
}

RowCondition read_row_condition(YamlSection& section) {
  RowCondition condition;
  condition.when = read_parts(section, "when");
  condition.unless = read_parts(section, "unless");
  return condition;
}

std::string condition_text(const RowCondition& condition) {
  std::string text = parts_text(condition.when);
  if (condition.unless.empty()) return text;
  return fmt::format("{}unless {}", text.empty() ? "" : text + ", ", parts_text(condition.unless));
}

}  // namespace filecall::client
