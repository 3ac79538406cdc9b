// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/json_path.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kPathStepsMax = 60;

Unexpected<Error> not_understood(std::string_view part) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is no path that can be followed: use names, [0], [*], ['a/b'] or "
                          "[?(@.type==\"Ready\")]",
                          part));
}

/// What stands between equal quotes; `text` itself where there are none.
std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

bool is_quoted(std::string_view text) { return unquoted(text).size() != text.size(); }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The end of a bracket that begins at 0: brackets in quotes do not count.
std::size_t end_of_bracket(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == ']') {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<JsonPath::Step> JsonPath::bracket_step(std::string_view inside) {
  inside = trimmed(inside);
  Step step;
  if (inside == "*") {
    step.kind = Step::Kind::kEach;
    return step;
  }
  if (is_quoted(inside)) {
    step.key = unquoted(inside);
    return step;
  }
  if (inside.starts_with("?(@.") && inside.ends_with(")")) {
    const std::string_view test = inside.substr(4, inside.size() - 5);
    const std::size_t equals = test.find("==");
    if (equals == std::string_view::npos) return not_understood(inside);
    const std::string_view key = trimmed(test.substr(0, equals));
    const std::string_view value = trimmed(test.substr(equals + 2));
    if (key.empty() || key.find_first_of(".[ @") != std::string_view::npos) {
      return not_understood(inside);
    }
    step.kind = Step::Kind::kWhere;
    step.key = key;
    step.value = unquoted(value);
    return step;
  }
  step.kind = Step::Kind::kIndex;
  step.is_from_end = inside.starts_with('-');
  if (step.is_from_end) inside.remove_prefix(1);
  const char* end = inside.data() + inside.size();
  const auto [stop, error] = std::from_chars(inside.data(), end, step.index);
  if (error != std::errc() || stop != end) return not_understood(inside);
  return step;
}

Result<JsonPath> JsonPath::parse(std::string_view text) {
  const std::string_view whole = text;
  text = trimmed(text);
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  if (text.starts_with('$')) text.remove_prefix(1);
  JsonPath path;
  while (!text.empty()) {
    if (path.steps_.size() >= kPathStepsMax) return not_understood(whole);
    if (text.front() == '[') {
      const std::size_t end = end_of_bracket(text);
      if (end == std::string_view::npos) return not_understood(whole);
      TRY_ASSIGN(Step step, bracket_step(text.substr(1, end - 1)));
      path.steps_.push_back(std::move(step));
      text.remove_prefix(end + 1);
      continue;
    }
    if (text.front() == '.') text.remove_prefix(1);
    Step step;
    // A dot of a name is written "\.", as kubectl does it.
    std::size_t i = 0;
    for (; i < text.size() && text[i] != '.' && text[i] != '['; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      step.key += text[i];
    }
    text.remove_prefix(i);
    if (step.key.empty() || step.key.find_first_of("{}() '\"") != std::string::npos) {
      return not_understood(whole);
    }
    if (step.key == "*") step.kind = Step::Kind::kEach;
    path.steps_.push_back(std::move(step));
  }
  if (path.steps_.empty()) return not_understood(whole);
  return path;
}

std::vector<const Json*> JsonPath::find(const Json& root, std::size_t found_max) const {
  std::vector<const Json*> found{&root};
  for (const Step& step : steps_) {
    std::vector<const Json*> next;
    const auto add = [&](const Json& value) {
      if (next.size() < found_max) next.push_back(&value);
    };
    for (const Json* value : found) {
      if (step.kind == Step::Kind::kMember) {
        const auto member = value->is_object() ? value->find(step.key) : value->end();
        if (value->is_object() && member != value->end()) add(*member);
      } else if (step.kind == Step::Kind::kIndex) {
        if (!value->is_array() || step.index > value->size()) continue;
        const std::size_t at = step.is_from_end ? value->size() - step.index : step.index;
        if (at < value->size()) add((*value)[at]);
      } else if (value->is_structured()) {
        for (const Json& item : *value) {
          const bool fits =
              step.kind == Step::Kind::kEach || (item.is_object() && item.contains(step.key) &&
                                                 printed(item[step.key]) == step.value);
          if (fits) add(item);
        }
      }
    }
    found = std::move(next);
  }
  return found;
}

std::string printed(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

}  // namespace filecall::worker::kube
