// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "ipc/schema_words.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Found = std::optional<SchemaViolation>;

bool is_long(const std::string& text) { return text.size() > kPatternSubjectBytesMax; }

bool has_long_text(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return is_long(*text);
  if (!value.is_structured()) return false;
  if (const auto* object = value.get_ptr<const Json::object_t*>()) {
    return std::any_of(object->begin(), object->end(), [](const auto& member) {
      return is_long(member.first) || has_long_text(member.second);
    });
  }
  return std::any_of(value.begin(), value.end(), has_long_text);
}

/// Walks every rule that may apply to a value, whether or not the others hold: a text is too long
/// for any pattern that might be tried on it.
class SubjectSearch {
 public:
  explicit SubjectSearch(const Json& root) : root_(root) {}

  Found search(const Json& schema, const Json& value, const std::string& at, int depth) const {
    if (!schema.is_object()) return std::nullopt;
    if (depth > kSchemaDepthMax) return too_long(at);
    const auto* text = value.get_ptr<const std::string*>();
    if (text != nullptr && is_long(*text) &&
        (schema.contains("pattern") || schema.contains("format"))) {
      return too_long(at);
    }
    if (Found found = search_same(schema, value, at, depth)) return found;
    if (value.is_object()) return search_members(schema, value, at, depth);
    if (value.is_array()) return search_items(schema, value, at, depth);
    return std::nullopt;
  }

 private:
  static SchemaViolation too_long(const std::string& at) {
    return {at, fmt::format("is longer than {} bytes, the most that a pattern is tried on",
                            kPatternSubjectBytesMax)};
  }

  /// Rules about the same value.
  Found search_same(const Json& schema, const Json& value, const std::string& at, int depth) const {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
        for (const Json& one : rule) {
          if (Found found = search(one, value, at, depth + 1)) return found;
        }
      } else if (keyword == "not" || keyword == "if" || keyword == "then" || keyword == "else") {
        if (Found found = search(rule, value, at, depth + 1)) return found;
      } else if (keyword == "dependencies" && rule.is_object()) {
        for (const Json& one : rule) {
          if (Found found = search(one, value, at, depth + 1)) return found;
        }
      } else if (keyword == "$ref" && rule.is_string()) {
        const auto& ref = rule.get_ref<const std::string&>();
        const Json::json_pointer pointer(ref.starts_with("#") ? ref.substr(1) : "");
        if (!root_.contains(pointer)) continue;
        if (Found found = search(root_.at(pointer), value, at, depth + 1)) return found;
      }
    }
    return std::nullopt;
  }

  Found search_members(const Json& schema, const Json& value, const std::string& at,
                       int depth) const {
    const bool matches_names =
        schema.contains("patternProperties") || schema.contains("propertyNames");
    for (const auto& [name, member] : value.items()) {
      const std::string below = at + pointer_token(name);
      if (matches_names && is_long(name)) return too_long(below);
      for (const char* keyword : {"properties", "patternProperties"}) {
        const auto rules = schema.find(keyword);
        if (rules == schema.end() || !rules->is_object()) continue;
        for (const auto& [key, rule] : rules->items()) {
          if (keyword[1] == 'r' && key != name) continue;
          if (Found found = search(rule, member, below, depth + 1)) return found;
        }
      }
      const auto additional = schema.find("additionalProperties");
      if (additional == schema.end()) continue;
      if (Found found = search(*additional, member, below, depth + 1)) return found;
    }
    return std::nullopt;
  }

  Found search_items(const Json& schema, const Json& value, const std::string& at,
                     int depth) const {
    for (const char* keyword : {"items", "additionalItems", "contains"}) {
      const auto rules = schema.find(keyword);
      if (rules == schema.end()) continue;
      const Json all = rules->is_array() ? *rules : Json::array({*rules});
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string below = fmt::format("{}/{}", at, i);
        for (const Json& rule : all) {
          if (Found found = search(rule, value[i], below, depth + 1)) return found;
        }
      }
    }
    return std::nullopt;
  }

  const Json& root_;
};

}  // namespace

bool uses_patterns(const Json& schema) {
  if (!schema.is_structured()) return false;
  if (schema.is_object()) {
    for (const char* keyword : {"pattern", "format", "patternProperties", "propertyNames"}) {
      if (schema.contains(keyword)) return true;
    }
  }
  return std::any_of(schema.begin(), schema.end(), uses_patterns);
}

std::optional<SchemaViolation> find_long_subject(const Json& schema, const Json& value) {
  if (!has_long_text(value)) return std::nullopt;
  return SubjectSearch(schema).search(schema, value, "", 0);
}

}  // namespace filecall
