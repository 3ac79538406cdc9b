// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty()) return std::nullopt;
  return value;
}

bool expression_matches(const Json& expression, const Json& labels) {
  const std::string_view key = text_of(expression, "key");
  const std::string_view relation = text_of(expression, "operator");
  const auto label = labels.is_object() ? labels.find(key) : labels.end();
  const bool has_label = labels.is_object() && label != labels.end();
  if (relation == "Exists") return has_label;
  if (relation == "DoesNotExist") return !has_label;
  const auto values = expression.is_object() ? expression.find("values") : expression.end();
  if (values == expression.end() || !values->is_array()) return false;
  const bool is_in =
      has_label && std::find(values->begin(), values->end(), *label) != values->end();
  if (relation == "In") return is_in;
  if (relation == "NotIn") return !is_in;
  if (!has_label || !label->is_string() || values->size() != 1 || !(*values)[0].is_string()) {
    return false;
  }
  const auto have = integer_of(label->get_ref<const std::string&>());
  const auto want = integer_of((*values)[0].get_ref<const std::string&>());
  if (!have || !want) return false;
  if (relation == "Gt") return *have > *want;
  return relation == "Lt" && *have < *want;
}

/// One requirement of a query; empty where a query has no words for it.
std::string requirement_of(const Json& expression) {
  const std::string_view key = text_of(expression, "key");
  const std::string_view relation = text_of(expression, "operator");
  if (key.empty()) return "";
  if (relation == "Exists") return std::string(key);
  if (relation == "DoesNotExist") return fmt::format("!{}", key);
  if (relation != "In" && relation != "NotIn") return "";
  std::string values;
  const auto list = expression.find("values");
  if (list == expression.end() || !list->is_array()) return "";
  for (const Json& value : *list) {
    if (!value.is_string()) return "";
    values += (values.empty() ? "" : ",") + value.get_ref<const std::string&>();
  }
  return fmt::format("{} {} ({})", key, relation == "In" ? "in" : "notin", values);
}

}  // namespace

std::string selector_query(const Json& selector) {
  std::string out;
  const auto add = [&](const std::string& requirement) {
    if (!requirement.empty()) out += (out.empty() ? "" : ",") + requirement;
  };
  if (!selector.is_object()) return out;
  if (const auto labels = selector.find("matchLabels");
      labels != selector.end() && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) add(fmt::format("{}={}", key, value.get_ref<const std::string&>()));
    }
  }
  if (const auto list = selector.find("matchExpressions");
      list != selector.end() && list->is_array()) {
    for (const Json& expression : *list) add(requirement_of(expression));
  }
  return out;
}

bool selector_matches(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  if (const auto wanted = selector.find("matchLabels");
      wanted != selector.end() && wanted->is_object()) {
    for (const auto& [key, value] : wanted->items()) {
      if (!labels.is_object()) return false;
      const auto label = labels.find(key);
      if (label == labels.end() || *label != value) return false;
    }
  }
  const auto expressions = selector.find("matchExpressions");
  if (expressions == selector.end() || !expressions->is_array()) return true;
  return std::all_of(expressions->begin(), expressions->end(), [&](const Json& expression) {
    return expression_matches(expression, labels);
  });
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  // Where to go on after a mismatch: behind the last star, with one more character under it.
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++retry;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace filecall::worker::kube
