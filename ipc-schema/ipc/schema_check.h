// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ipc/json.h"
#include "ipc/schema_rule.h"
#include "ipc/schema_violation.h"

namespace filecall {

/// Holds one value against one schema, within bounds: what a schema asks for may grow without end
/// (rules that name each other twice, forty times over). Neither the schema nor the value is
/// trusted.
class SchemaCheck {
 public:
  SchemaCheck(const CompiledSchema& schema, std::uint64_t steps_max)
      : schema_(schema), steps_max_(steps_max), steps_left_(steps_max) {}

  /// The first violation in document order; nullopt: the value conforms. A check that needs more
  /// than its bounds is a violation that says so.
  std::optional<SchemaViolation> run(const Json& value);

 private:
  using Rules = std::vector<const SchemaRule*>;
  /// A step into the value, for as long as it lives.
  class Inside;

  bool fits(const SchemaRule* rule, const Json& value);
  bool fits_rule(const SchemaRule& rule, const Json& value);
  bool fits_type(const SchemaRule& rule, const Json& value);
  bool fits_constants(const SchemaRule& rule, const Json& value);
  bool fits_number(const NumberRules& rules, const Json& value);
  bool fits_text(const TextRules& rules, const std::string& text);
  bool fits_object(const ObjectRules& rules, const Json::object_t& value, const Json& whole);
  bool fits_members(const ObjectRules& rules, const Json::object_t& value);
  bool fits_member(const ObjectRules& rules, const std::string& name, const Json& member);
  bool fits_dependencies(const ObjectRules& rules, const Json::object_t& value, const Json& whole);
  bool fits_array(const ArrayRules& rules, const Json::array_t& value);
  bool is_unique(const Json::array_t& value);
  bool fits_combination(const CombinationRules& rules, const Json& value);
  bool fits_choice(const Rules& choices, bool is_exclusive, const Json& value);
  bool fits_not(const SchemaRule& forbidden, const Json& value);
  bool fits_size(const SizeBounds& bounds, std::size_t size, const char* unit);

  /// Takes steps; false: there are too few left, and the check ends.
  bool spend(std::uint64_t steps);
  bool finds(const SchemaPattern& pattern, std::string_view text);
  /// Always false. `words` makes the rule's text, when anybody wants one.
  template <typename Words>
  bool violated(Words&& words);
  template <typename Words>
  bool violated_at(const std::string& below, Words&& words);

  const CompiledSchema& schema_;
  std::uint64_t steps_max_;
  std::uint64_t steps_left_;
  int depth_ = 0;
  /// The second pass finds words; the first only judges, as most values fit.
  bool is_explaining_ = false;
  std::string at_;  ///< While explaining.
  SchemaViolation violation_;
  std::string given_up_;  ///< Why the check ended early; empty: it did not.
};

}  // namespace filecall
