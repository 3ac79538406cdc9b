// SPDX-License-Identifier: MIT
#include "ipc/schema_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/schema_limits.h"
#include "ipc/schema_words.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

bool is_of_type(const Json& value, std::string_view type, bool takes_whole_fractions) {
  if (type == "integer" && value.is_number_float()) {
    const auto number = value.get<double>();
    return takes_whole_fractions && std::isfinite(number) && std::floor(number) == number;
  }
  if (type == "integer") return value.is_number_integer();
  return type == value.type_name();
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Wide enough for every integer of 64 bits and every double.
long double number_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return value.get<double>();
}

bool is_multiple(const Json& value, const Json& of) {
  const long double number = number_of(value), divisor = number_of(of);
  if (value.is_number_integer() && of.is_number_integer()) {
    return std::fmod(number, divisor) == 0;
  }
  // 0.3 is meant as a multiple of 0.1, which the nearest doubles are not.
  const long double ratio = number / divisor;
  const long double off = std::fabs(ratio - std::nearbyint(ratio));
  return std::isfinite(ratio) && off <= 1e-12L * std::max(1.0L, std::fabs(ratio));
}

}  // namespace

class SchemaCheck::Inside {
 public:
  template <typename Token>
  Inside(SchemaCheck& check, Token&& token) : check_(check), size_(check.at_.size()) {
    if (check.is_explaining_) check.at_ += token();
  }
  ~Inside() { check_.at_.resize(size_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  SchemaCheck& check_;
  std::size_t size_;
};

template <typename Words>
bool SchemaCheck::violated(Words&& words) {
  return violated_at("", std::forward<Words>(words));
}

template <typename Words>
bool SchemaCheck::violated_at(const std::string& below, Words&& words) {
  if (is_explaining_) violation_ = {at_ + below, words()};
  return false;
}

std::optional<SchemaViolation> SchemaCheck::run(const Json& value) {
  const SchemaRule* whole = schema_.rules.front().get();
  const bool does_fit = fits(whole, value);
  if (given_up_.empty()) {
    if (does_fit) return std::nullopt;
    is_explaining_ = true;
    fits(whole, value);
    // The value was judged; only explaining the violation took too many steps.
    if (!given_up_.empty()) return SchemaViolation{"", "does not fit the schema"};
    return violation_;
  }
  return SchemaViolation{"", "cannot be checked: " + given_up_};
}

bool SchemaCheck::spend(std::uint64_t steps) {
  if (!given_up_.empty()) return false;
  if (steps <= steps_left_) {
    steps_left_ -= steps;
    return true;
  }
  given_up_ = fmt::format("the schema asks for more than {} steps", steps_max_);
  return false;
}

bool SchemaCheck::finds(const SchemaPattern& pattern, std::string_view text) {
  return spend(pattern.steps_for(text.size())) && pattern.is_found_in(text);
}

bool SchemaCheck::fits(const SchemaRule* rule, const Json& value) {
  if (!spend(1)) return false;
  while (rule->reference != nullptr) {
    if (!spend(1)) return false;
    rule = rule->reference;
  }
  if (depth_ >= limits::kSchemaDepthMax) {
    given_up_ = fmt::format("schema and value nest deeper than {}", limits::kSchemaDepthMax);
    return false;
  }
  ++depth_;
  const bool does_fit = fits_rule(*rule, value);
  --depth_;
  return does_fit && given_up_.empty();
}

bool SchemaCheck::fits_rule(const SchemaRule& rule, const Json& value) {
  if (rule.allows_nothing) {
    return violated([] { return std::string("is not allowed; remove it"); });
  }
  if (rule.type != nullptr && !fits_type(rule, value)) return false;
  if (rule.comparison_steps > 0 && !fits_constants(rule, value)) return false;
  if (value.is_number()) {
    if (rule.number && !fits_number(*rule.number, value)) return false;
  } else if (const auto* text = value.get_ptr<const std::string*>()) {
    if (rule.text && !fits_text(*rule.text, *text)) return false;
  } else if (const auto* object = value.get_ptr<const Json::object_t*>()) {
    if (rule.object && !fits_object(*rule.object, *object, value)) return false;
  } else if (const auto* array = value.get_ptr<const Json::array_t*>()) {
    if (rule.array && !fits_array(*rule.array, *array)) return false;
  }
  return !rule.combination || fits_combination(*rule.combination, value);
}

bool SchemaCheck::fits_type(const SchemaRule& rule, const Json& value) {
  const Json& type = *rule.type;
  const auto is_it = [&](const Json& name) {
    return is_of_type(value, name.get_ref<const std::string&>(), schema_.takes_whole_fractions);
  };
  if (type.is_array()) {
    if (!spend(type.size())) return false;
    if (std::any_of(type.begin(), type.end(), is_it)) return true;
  } else if (is_it(type)) {
    return true;
  }
  return violated([&] { return wrong_type(type, value); });
}

bool SchemaCheck::fits_constants(const SchemaRule& rule, const Json& value) {
  if (!spend(rule.comparison_steps)) return false;
  if (rule.constant != nullptr && *rule.constant != value) {
    return violated([&] { return "must be " + excerpt(dump_json(*rule.constant)); });
  }
  if (rule.allowed == nullptr ||
      std::find(rule.allowed->begin(), rule.allowed->end(), value) != rule.allowed->end()) {
    return true;
  }
  return violated([&] { return "must be one of " + names_of(*rule.allowed); });
}

bool SchemaCheck::fits_number(const NumberRules& rules, const Json& value) {
  const long double number = number_of(value);
  const auto say = [&](const char* how, const Json* bound) {
    return violated(
        [&] { return fmt::format("must be {} {}, is {}", how, bound->dump(), value.dump()); });
  };
  if (rules.minimum != nullptr && number < number_of(*rules.minimum)) {
    return say("at least", rules.minimum);
  }
  if (rules.maximum != nullptr && number > number_of(*rules.maximum)) {
    return say("at most", rules.maximum);
  }
  if (rules.above != nullptr && number <= number_of(*rules.above)) return say("above", rules.above);
  if (rules.below != nullptr && number >= number_of(*rules.below)) return say("below", rules.below);
  if (rules.multiple_of != nullptr && !is_multiple(value, *rules.multiple_of)) {
    return say("a multiple of", rules.multiple_of);
  }
  return true;
}

bool SchemaCheck::fits_size(const SizeBounds& bounds, std::size_t size, const char* unit) {
  if (bounds.least && size < *bounds.least) {
    return violated([&] { return wrong_size("least", *bounds.least, unit, size); });
  }
  if (bounds.most && size > *bounds.most) {
    return violated([&] { return wrong_size("most", *bounds.most, unit, size); });
  }
  return true;
}

bool SchemaCheck::fits_text(const TextRules& rules, const std::string& text) {
  if (rules.length.least || rules.length.most) {
    if (!spend(text.size() / 64)) return false;
    if (!fits_size(rules.length, characters(text), "character")) return false;
  }
  if (rules.pattern != nullptr && !finds(*rules.pattern, text)) {
    return violated([&] {
      return fmt::format("does not match the pattern {}", excerpt(rules.pattern->text(), 200));
    });
  }
  if (!rules.format) return true;
  if (!spend(1 + text.size() / 64)) return false;
  if (has_format(text, *rules.format)) return true;
  return violated(
      [&] { return fmt::format("must be a {} as RFC 3339 has it", to_string(*rules.format)); });
}

bool SchemaCheck::fits_object(const ObjectRules& rules, const Json::object_t& value,
                              const Json& whole) {
  if (rules.required != nullptr) {
    if (!spend(rules.required->size())) return false;
    for (const Json& name : *rules.required) {
      const auto& key = name.get_ref<const std::string&>();
      if (value.contains(key)) continue;
      return violated_at(is_explaining_ ? pointer_token(key) : "",
                         [] { return std::string("is missing"); });
    }
  }
  return fits_members(rules, value) && fits_dependencies(rules, value, whole) &&
         fits_size(rules.size, value.size(), "member");
}

bool SchemaCheck::fits_members(const ObjectRules& rules, const Json::object_t& value) {
  if (rules.properties.empty() && rules.patterns.empty() && rules.additional == nullptr &&
      rules.names == nullptr) {
    return true;
  }
  for (const auto& [name, member] : value) {
    if (!spend(1)) return false;
    const std::string& token = name;
    const Inside inside(*this, [&] { return pointer_token(token); });
    if (rules.names != nullptr && !fits(rules.names, Json(name))) return false;
    if (!fits_member(rules, name, member)) return false;
  }
  return true;
}

bool SchemaCheck::fits_member(const ObjectRules& rules, const std::string& name,
                              const Json& member) {
  const auto own = rules.properties.find(name);
  bool is_known = own != rules.properties.end();
  if (is_known && !fits(own->second, member)) return false;
  for (const auto& [pattern, rule] : rules.patterns) {
    if (!finds(*pattern, name)) continue;
    is_known = true;
    if (!fits(rule, member)) return false;
  }
  if (is_known || rules.additional == nullptr) return given_up_.empty();
  if (rules.additional->allows_nothing) return violated([&] { return unknown_member(rules); });
  return fits(rules.additional, member);
}

bool SchemaCheck::fits_dependencies(const ObjectRules& rules, const Json::object_t& value,
                                    const Json& whole) {
  if (!spend(rules.dependencies.size())) return false;
  for (const auto& [member, rule, names] : rules.dependencies) {
    if (value.find(std::string(member)) == value.end()) continue;
    if (rule != nullptr) {
      if (!fits(rule, whole)) return false;
      continue;
    }
    if (!spend(names->size())) return false;
    for (const Json& name : *names) {
      const auto& key = name.get_ref<const std::string&>();
      if (value.contains(key)) continue;
      const std::string_view needing = member;
      return violated_at(is_explaining_ ? pointer_token(key) : "",
                         [&] { return fmt::format("is missing; '{}' needs it", needing); });
    }
  }
  return true;
}

bool SchemaCheck::fits_array(const ArrayRules& rules, const Json::array_t& value) {
  if (!fits_size(rules.size, value.size(), "element")) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const SchemaRule* rule = rules.each;
    if (rules.is_tuple) rule = i < rules.tuple.size() ? rules.tuple[i] : rules.additional;
    if (rule == nullptr) break;
    const Inside inside(*this, [&] { return fmt::format("/{}", i); });
    if (!fits(rule, value[i])) return false;
  }
  if (rules.is_unique && !is_unique(value)) return false;
  if (rules.contains == nullptr) return true;
  const bool is_explaining = std::exchange(is_explaining_, false);
  const bool has_one = std::any_of(value.begin(), value.end(), [&](const Json& element) {
    return fits(rules.contains, element);
  });
  is_explaining_ = is_explaining;
  return has_one ||
         violated([] { return std::string("has no element of the form that it must contain"); });
}

bool SchemaCheck::is_unique(const Json::array_t& value) {
  std::vector<const Json*> sorted;
  std::uint64_t steps = 0, rounds = 1;
  for (const Json& element : value) {
    sorted.push_back(&element);
    steps += count_steps(element);
  }
  // A comparison costs as much as the smaller of the two, and each element has some `rounds`.
  while ((std::uint64_t{1} << rounds) < value.size()) ++rounds;
  if (!spend(steps * rounds)) return false;
  // A twin of equal value and unequal kind (1 and 1.0) is next to it as well.
  std::sort(sorted.begin(), sorted.end(), [](const Json* a, const Json* b) { return *a < *b; });
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end(),
                                       [](const Json* a, const Json* b) { return *a == *b; });
  if (twin == sorted.end()) return true;
  return violated([&] {
    return fmt::format("has {} twice; elements must differ", excerpt(dump_json(**twin)));
  });
}

bool SchemaCheck::fits_combination(const CombinationRules& rules, const Json& value) {
  for (const SchemaRule* one : rules.all_of) {
    if (!fits(one, value)) return false;
  }
  if (!rules.one_of.empty() && !fits_choice(rules.one_of, true, value)) return false;
  if (!rules.any_of.empty() && !fits_choice(rules.any_of, false, value)) return false;
  if (rules.if_holds != nullptr) {
    const bool is_explaining = std::exchange(is_explaining_, false);
    const bool holds = fits(rules.if_holds, value);
    is_explaining_ = is_explaining;
    const SchemaRule* next = holds ? rules.then : rules.otherwise;
    if (next != nullptr && !fits(next, value)) return false;
  }
  return rules.forbidden == nullptr || fits_not(*rules.forbidden, value);
}

bool SchemaCheck::fits_not(const SchemaRule& forbidden, const Json& value) {
  const bool is_explaining = std::exchange(is_explaining_, false);
  const bool does_fit = fits(&forbidden, value);
  is_explaining_ = is_explaining;
  if (!given_up_.empty()) return false;  // Which is no verdict to turn round.
  return !does_fit || violated([&] { return forbidden_form(forbidden); });
}

bool SchemaCheck::fits_choice(const Rules& choices, bool is_exclusive, const Json& value) {
  int fitting = 0;
  std::optional<SchemaViolation> best;
  for (const SchemaRule* choice : choices) {
    if (fits(choice, value)) {
      ++fitting;
      if (!is_exclusive) return true;
    } else if (is_explaining_ && (!best || violation_.pointer.size() > best->pointer.size())) {
      best = std::exchange(violation_, {});
    }
    if (!given_up_.empty()) return false;
  }
  if (fitting == 1) return true;
  if (!is_explaining_) return false;
  // The choices differ in what they require, and none of it, or too much of it, is there.
  const std::string heads = heads_of(choices);
  const bool is_of_heads = !heads.empty() && (fitting > 1 || (best && best->rule == "is missing"));
  if (is_of_heads) {
    return violated([&] {
      return fmt::format("must have either {}{}", heads, fitting > 1 ? ", not both" : "");
    });
  }
  if (fitting > 1) {
    return violated([] { return std::string("fits more than one of the allowed forms"); });
  }
  violation_ = std::move(*best);
  return false;
}

}  // namespace filecall
