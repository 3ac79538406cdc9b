// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <string>
#include <unordered_map>

#include "ipc/json_text.h"
#include "ipc/schema_limits.h"
#include "ipc/schema_reference.h"
#include "ipc/schema_rule.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

/// Reads the keywords of one schema. What is wrong goes to `complain`; what the rules refer to is
/// asked of `rule_of` and `pattern_to`.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(CompiledSchema& out) : out_(out) {}

  /// The first thing that is wrong, with its place; empty: nothing.
  std::string run() {
    rule_of(out_.text, "");
    // One after the other, not one in the other: a chain of references may be long.
    while (!todo_.empty() && complaint_.empty()) {
      const Todo next = std::move(todo_.front());
      todo_.pop_front();
      at_ = next.at;
      read(*next.schema, *next.rule);
    }
    if (complaint_.empty()) compile_patterns();
    return complaint_;
  }

 private:
  struct Todo {
    const Json* schema;
    SchemaRule* rule;
    std::string at;
  };
  struct WantedPattern {
    std::string expression;
    std::string at;
    const SchemaPattern** slot;
  };

  void complain(std::string_view where, std::string_view what) {
    if (complaint_.empty()) complaint_ = fmt::format("{}{}: {}", at_, where, what);
  }

  const SchemaRule* rule_of(const Json& schema, const std::string& where) {
    if (!schema.is_object() && !schema.is_boolean()) {
      complain(where, "must be a schema, an object or a boolean");
      return nullptr;
    }
    const auto [known, is_new] = rules_.try_emplace(&schema, nullptr);
    if (!is_new) return known->second;
    if (out_.rules.size() >= limits::kSchemaRulesMax) {
      complain(where, fmt::format("more than {} schemas in one", limits::kSchemaRulesMax));
    }
    out_.rules.push_back(std::make_unique<SchemaRule>());
    known->second = out_.rules.back().get();
    todo_.push_back({&schema, known->second, at_ + where});
    return known->second;
  }

  static const Json* find(const Json& schema, const char* keyword) {
    const auto member = schema.find(keyword);
    return member == schema.end() ? nullptr : &*member;
  }

  const SchemaRule* rule_under(const Json& schema, const char* keyword) {
    const Json* found = find(schema, keyword);
    return found == nullptr ? nullptr : rule_of(*found, pointer_token(keyword));
  }

  /// `keyword`, when it is there, must be what `is_right` says.
  const Json* checked(const Json& schema, const char* keyword, bool (*is_right)(const Json&),
                      std::string_view what) {
    const Json* found = find(schema, keyword);
    if (found == nullptr || is_right(*found)) return found;
    complain(pointer_token(keyword), fmt::format("must be {}", what));
    return nullptr;
  }

  static bool is_object(const Json& value) { return value.is_object(); }
  static bool is_number(const Json& value) {
    return value.is_number() && std::isfinite(value.get<double>());
  }
  static bool is_positive(const Json& value) { return is_number(value) && value.get<double>() > 0; }
  static bool is_text(const Json& value) { return value.is_string(); }
  static bool is_boolean(const Json& value) { return value.is_boolean(); }
  static bool is_full_list(const Json& value) { return value.is_array() && !value.empty(); }
  static bool is_list(const Json& value) { return value.is_array(); }
  static bool is_texts(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
  }
  static bool is_count(const Json& value) {
    constexpr double kMost = 9007199254740992.0;  // The integers that a double has exactly.
    if (!is_number(value) || value.get<double>() < 0) return false;
    return value.is_number_integer() ||
           (value.get<double>() <= kMost && std::floor(value.get<double>()) == value.get<double>());
  }
  static bool is_type(const Json& value) {
    constexpr std::string_view kTypes[] = {"array",  "boolean", "integer", "null",
                                           "number", "object",  "string"};
    const auto is_name = [&](const Json& name) {
      return name.is_string() && std::find(std::begin(kTypes), std::end(kTypes),
                                           name.get_ref<const std::string&>()) != std::end(kTypes);
    };
    return is_name(value) ||
           (is_full_list(value) && std::all_of(value.begin(), value.end(), is_name));
  }

  /// What later versions than draft-07 have would be ignored, and anything would fit.
  void refuse_later_keywords(const Json& schema) {
    for (const char* keyword :
         {"prefixItems", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
          "unevaluatedItems", "minContains", "maxContains", "$dynamicRef", "$recursiveRef"}) {
      if (find(schema, keyword) == nullptr) continue;
      complain(pointer_token(keyword),
               "is of a later version than draft-07, which is checked here");
    }
  }

  void read(const Json& schema, SchemaRule& rule) {
    if (schema.is_boolean()) {
      rule.allows_nothing = !schema.get<bool>();
      return;
    }
    refuse_later_keywords(schema);
    for (const char* keyword : {"definitions", "$defs"}) read_named(schema, keyword);
    if (const Json* reference = checked(schema, "$ref", is_text, "a string")) {
      const auto target = find_reference(out_.text, reference->get_ref<const std::string&>());
      if (!target) return complain("", target.error().message);
      at_ = excerpt(reference->get_ref<const std::string&>().substr(1), 400);
      rule.reference = rule_of(**target, "");
      return;
    }
    rule.type = checked(schema, "type", is_type, "the name of a type or a list of them");
    rule.constant = find(schema, "const");
    rule.allowed = checked(schema, "enum", is_list, "an array");
    if (rule.constant != nullptr) rule.comparison_steps += count_steps(*rule.constant);
    if (rule.allowed != nullptr) rule.comparison_steps += count_steps(*rule.allowed);
    read_number(schema, rule);
    read_text(schema, rule);
    read_object(schema, rule);
    read_array(schema, rule);
    read_combination(schema, rule);
  }

  /// Moves what was read into the rule, when any of its keywords is there.
  template <typename Rules>
  static void keep(const Json& schema, std::initializer_list<const char*> keywords, Rules& rules,
                   std::unique_ptr<Rules>& slot) {
    const bool is_used = std::any_of(keywords.begin(), keywords.end(),
                                     [&](const char* keyword) { return schema.contains(keyword); });
    if (is_used) slot = std::make_unique<Rules>(std::move(rules));
  }

  void read_number(const Json& schema, SchemaRule& rule) {
    NumberRules number;
    number.minimum = checked(schema, "minimum", is_number, "a number");
    number.maximum = checked(schema, "maximum", is_number, "a number");
    number.above = checked(schema, "exclusiveMinimum", is_number, "a number");
    number.below = checked(schema, "exclusiveMaximum", is_number, "a number");
    number.multiple_of = checked(schema, "multipleOf", is_positive, "a number above 0");
    keep(schema, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
         number, rule.number);
  }

  SizeBounds read_bounds(const Json& schema, const char* least, const char* most) {
    constexpr std::string_view kWhat = "an integer of at least 0";
    SizeBounds bounds;
    if (const Json* found = checked(schema, least, is_count, kWhat)) bounds.least = *found;
    if (const Json* found = checked(schema, most, is_count, kWhat)) bounds.most = *found;
    return bounds;
  }

  void read_text(const Json& schema, SchemaRule& rule) {
    TextRules text;
    text.length = read_bounds(schema, "minLength", "maxLength");
    const Json* pattern = checked(schema, "pattern", is_text, "a string");
    if (const Json* format = checked(schema, "format", is_text, "a string")) {
      text.format = find_schema_format(format->get_ref<const std::string&>());
    }
    keep(schema, {"minLength", "maxLength", "pattern", "format"}, text, rule.text);
    if (pattern != nullptr) {
      patterns_.push_back({pattern->get<std::string>(), at_ + "/pattern", &rule.text->pattern});
    }
  }

  void read_named(const Json& schema, const char* keyword) {
    const Json* named = checked(schema, keyword, is_object, "an object");
    if (named == nullptr) return;
    for (const auto& [name, inner] : named->items()) {
      rule_of(inner, pointer_token(keyword) + pointer_token(name));
    }
  }

  void read_object(const Json& schema, SchemaRule& rule) {
    ObjectRules object;
    object.size = read_bounds(schema, "minProperties", "maxProperties");
    object.required = checked(schema, "required", is_texts, "an array of strings");
    object.additional = rule_under(schema, "additionalProperties");
    object.names = rule_under(schema, "propertyNames");
    if (const Json* members = checked(schema, "properties", is_object, "an object")) {
      for (const auto& [name, inner] : members->items()) {
        object.properties[name] = rule_of(inner, "/properties" + pointer_token(name));
      }
    }
    if (const Json* needs = checked(schema, "dependencies", is_object, "an object")) {
      for (const auto& [name, needed] : needs->items()) {
        if (is_texts(needed)) {
          object.dependencies.push_back({name, nullptr, &needed});
        } else {
          const SchemaRule* inner = rule_of(needed, "/dependencies" + pointer_token(name));
          object.dependencies.push_back({name, inner, nullptr});
        }
      }
    }
    keep(schema,
         {"minProperties", "maxProperties", "required", "additionalProperties", "propertyNames",
          "properties", "dependencies", "patternProperties"},
         object, rule.object);
    const Json* by_pattern = checked(schema, "patternProperties", is_object, "an object");
    if (by_pattern == nullptr) return;
    auto& list = rule.object->patterns;
    list.reserve(by_pattern->size());  // The slots must stay where they are.
    for (const auto& [pattern, inner] : by_pattern->items()) {
      const std::string where = "/patternProperties" + pointer_token(pattern);
      list.emplace_back(nullptr, rule_of(inner, where));
      patterns_.push_back({pattern, at_ + where, &list.back().first});
    }
  }

  void read_array(const Json& schema, SchemaRule& rule) {
    ArrayRules array;
    array.size = read_bounds(schema, "minItems", "maxItems");
    const Json* items = find(schema, "items");
    array.is_tuple = items != nullptr && items->is_array();
    if (array.is_tuple) {
      array.tuple = rules_in(*items, "/items");
    } else {
      array.each = rule_under(schema, "items");
    }
    array.additional = rule_under(schema, "additionalItems");
    array.contains = rule_under(schema, "contains");
    const Json* unique = checked(schema, "uniqueItems", is_boolean, "a boolean");
    array.is_unique = unique != nullptr && unique->get<bool>();
    keep(schema, {"minItems", "maxItems", "items", "additionalItems", "contains", "uniqueItems"},
         array, rule.array);
  }

  std::vector<const SchemaRule*> rules_in(const Json& list, const std::string& where) {
    std::vector<const SchemaRule*> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      out.push_back(rule_of(list[i], fmt::format("{}/{}", where, i)));
    }
    return out;
  }

  std::vector<const SchemaRule*> rules_under(const Json& schema, const char* keyword) {
    const Json* list = checked(schema, keyword, is_full_list, "an array of schemas");
    if (list == nullptr) return {};
    return rules_in(*list, pointer_token(keyword));
  }

  void read_combination(const Json& schema, SchemaRule& rule) {
    CombinationRules combination;
    combination.all_of = rules_under(schema, "allOf");
    combination.any_of = rules_under(schema, "anyOf");
    combination.one_of = rules_under(schema, "oneOf");
    combination.if_holds = rule_under(schema, "if");
    combination.then = rule_under(schema, "then");
    combination.otherwise = rule_under(schema, "else");
    combination.forbidden = rule_under(schema, "not");
    keep(schema, {"allOf", "anyOf", "oneOf", "if", "then", "else", "not"}, combination,
         rule.combination);
  }

  void compile_patterns() {
    std::unordered_map<std::string, std::vector<WantedPattern*>> by_expression;
    for (WantedPattern& wanted : patterns_) by_expression[wanted.expression].push_back(&wanted);
    if (by_expression.size() > limits::kSchemaPatternsMax) {
      at_.clear();
      return complain("", fmt::format("{} patterns; at most {} are taken", by_expression.size(),
                                      limits::kSchemaPatternsMax));
    }
    for (const auto& [expression, places] : by_expression) {
      at_ = places.front()->at;
      auto pattern = SchemaPattern::compile(
          expression, limits::kSchemaPatternMemoryBytes / by_expression.size());
      if (!pattern) return complain("", pattern.error().message);
      out_.patterns.push_back(std::make_unique<const SchemaPattern>(std::move(*pattern)));
      for (WantedPattern* wanted : places) *wanted->slot = out_.patterns.back().get();
    }
  }

  CompiledSchema& out_;
  std::unordered_map<const Json*, SchemaRule*> rules_;
  std::deque<Todo> todo_;
  std::vector<WantedPattern> patterns_;
  std::string at_;  ///< Where the schema lies that is being read, as a JSON pointer.
  std::string complaint_;
};

}  // namespace

std::uint64_t count_steps(const Json& value) {
  std::uint64_t steps = 0;
  std::vector<const Json*> todo{&value};
  while (!todo.empty()) {
    const Json& next = *todo.back();
    todo.pop_back();
    ++steps;
    if (const auto* text = next.get_ptr<const std::string*>()) steps += text->size() / 256;
    if (!next.is_structured()) continue;
    for (const Json& inner : next) todo.push_back(&inner);
  }
  return steps;
}

Result<std::unique_ptr<CompiledSchema>> compile_schema(const Json& schema) {
  auto compiled = std::make_unique<CompiledSchema>();
  compiled->text = schema;
  const std::string complaint = SchemaCompiler(*compiled).run();
  if (!complaint.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("schema: not a JSON Schema (draft-07) that can be checked: {}", complaint));
  }
  if (has_circle(*compiled)) {
    return fail(ErrorCode::kInvalidArgument,
                "schema: a $ref leads back to itself; let it go through a member or an element");
  }
  return compiled;
}

}  // namespace filecall
