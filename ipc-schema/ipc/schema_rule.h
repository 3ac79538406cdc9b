// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ipc/json.h"
#include "ipc/schema_format.h"
#include "ipc/schema_pattern.h"

/// A JSON Schema as it is checked: every object or boolean of the text that is a schema is one
/// SchemaRule. Pointers lead into the CompiledSchema that owns the rules, the patterns and the
/// text.
namespace filecall {

struct SchemaRule;

struct SizeBounds {
  std::optional<std::uint64_t> least, most;
};

struct NumberRules {
  const Json* minimum = nullptr;
  const Json* maximum = nullptr;
  const Json* above = nullptr;
  const Json* below = nullptr;
  const Json* multiple_of = nullptr;  ///< Above 0.
};

struct TextRules {
  SizeBounds length;
  const SchemaPattern* pattern = nullptr;
  std::optional<SchemaFormat> format;
};

struct ObjectRules {
  struct Dependency {
    std::string_view member;
    const SchemaRule* rule = nullptr;
    const Json* names = nullptr;  ///< Strings, when there is no rule.
  };
  SizeBounds size;
  const Json* required = nullptr;  ///< Strings.
  std::map<std::string_view, const SchemaRule*> properties;
  std::vector<std::pair<const SchemaPattern*, const SchemaRule*>> patterns;
  const SchemaRule* additional = nullptr;
  const SchemaRule* names = nullptr;
  std::vector<Dependency> dependencies;
};

struct ArrayRules {
  SizeBounds size;
  const SchemaRule* each = nullptr;
  bool is_tuple = false;
  std::vector<const SchemaRule*> tuple;
  const SchemaRule* additional = nullptr;
  const SchemaRule* contains = nullptr;
  bool is_unique = false;
};

struct CombinationRules {
  std::vector<const SchemaRule*> all_of, any_of, one_of;
  const SchemaRule* if_holds = nullptr;
  const SchemaRule* then = nullptr;
  const SchemaRule* otherwise = nullptr;
  const SchemaRule* forbidden = nullptr;
};

struct SchemaRule {
  bool allows_nothing = false;            ///< The schema `false`.
  const SchemaRule* reference = nullptr;  ///< `$ref`: nothing beside it counts.
  const Json* type = nullptr;             ///< A name or an array of names.
  const Json* constant = nullptr;
  const Json* allowed = nullptr;       ///< `enum`.
  std::uint64_t comparison_steps = 0;  ///< For `constant` and `allowed`.
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<TextRules> text;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<CombinationRules> combination;
};

struct CompiledSchema {
  Json text;
  /// An integer may be written with a fraction of nothing: 1.0.
  bool takes_whole_fractions = true;
  std::vector<std::unique_ptr<SchemaRule>> rules;  ///< The first is that of the whole.
  std::vector<std::unique_ptr<const SchemaPattern>> patterns;
};

/// Failure: invalid_argument, it is no JSON Schema (draft-07), refers to something outside itself
/// or back to itself, or is larger than schema_limits.h allows. Takes time linear in the text.
Result<std::unique_ptr<CompiledSchema>> compile_schema(const Json& schema);

/// Whether a rule leads back to itself without going into the value ("$ref": "#"): applying it
/// would never end.
bool has_circle(const CompiledSchema& schema);

/// The pieces of a JSON value: what comparing with it costs at most, in steps.
std::uint64_t count_steps(const Json& value);

}  // namespace filecall
