// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "ipc/schema_validator.h"

/// Schemas and values to try a validator with, and what must hold of each pair: for the random
/// test and for the fuzzer, which differ in where their choices come from.
namespace filecall::schema_inputs {

/// A choice in [0, bound).
using Choose = std::function<std::uint64_t(std::uint64_t bound)>;

class Writer {
 public:
  explicit Writer(Choose choose) : choose_(std::move(choose)) {}

  Json schema() {
    Json out = rule(4);
    if (!out.is_object()) out = Json{{"not", out}};
    if (one_in(2)) {
      for (const char* name : {"a", "b", "c"}) out["definitions"][name] = rule(2);
    }
    return out;
  }

  Json value(int depth) {
    switch (choose_(depth > 0 ? 9 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return one_in(2);
      case 2:
        return static_cast<std::int64_t>(choose_(7)) - 3;
      case 3:
        return 0.5 * static_cast<double>(choose_(9));
      case 4:
      case 5:
        return text();
      case 6:
        return pick<double>({1e308, -1e308, 1e-320, 9007199254740993.0, 1.8446744073709552e19});
      case 7: {
        Json out = Json::array();
        for (std::uint64_t left = choose_(4); left > 0; --left) out.push_back(value(depth - 1));
        return out;
      }
      default:
        Json out = Json::object();
        for (std::uint64_t left = choose_(4); left > 0; --left) out[name()] = value(depth - 1);
        return out;
    }
  }

 private:
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + choose_(from.size()));
  }
  bool one_in(std::uint64_t n) { return choose_(n) == 0; }
  std::string name() { return pick<const char*>({"a", "b", "c", "d/~", ""}); }
  std::string text() {
    return pick<const char*>({"", "a", "aaaaaaaaaaaaaaaaaaaaaaaa!", "\xc3\xa9", "2026-02-29",
                              "23:59:60Z", "2024-02-29T00:00:00z", "b/c", "\x7f\n"});
  }
  std::string pattern() {
    return pick<const char*>({"^(a+)+$", "a*", "(", "[z-a]", "^.$", "\\u00e9", "(?=a)", "\\", "(?<",
                              "((a{9}){9}){9}", "\\p{L}", "^$", "(?<n>b)", "a{1000000}"});
  }
  Json bound() { return one_in(5) ? value(0) : Json(choose_(5)); }
  Json rules(int depth) {
    Json out = Json::array();
    for (std::uint64_t left = 1 + choose_(2); left > 0; --left) out.push_back(rule(depth));
    return out;
  }
  Json named_rules(int depth, bool by_pattern) {
    Json out = Json::object();
    for (std::uint64_t left = choose_(3); left > 0; --left) {
      out[by_pattern ? pattern() : name()] = rule(depth);
    }
    return out;
  }

  Json rule(int depth) {
    if (one_in(12)) return one_in(2);
    Json out = Json::object();
    for (std::uint64_t left = choose_(3) + (depth > 0 ? 1 : 0); left > 0; --left) {
      if (depth > 0 && one_in(2)) {
        add_nested(out, depth - 1);
      } else {
        add_plain(out);
      }
    }
    return out;
  }

  void add_plain(Json& out) {
    const auto type = [&] {
      return pick<const char*>(
          {"array", "boolean", "integer", "null", "number", "object", "string"});
    };
    switch (choose_(9)) {
      case 0:
        out["type"] = type();
        break;
      case 1:
        out["type"] = Json::array({type(), type()});
        break;
      case 2:
        out["enum"] = Json::array({value(2), value(1)});
        break;
      case 3:
        out["const"] = value(2);
        break;
      case 4:
        out["pattern"] = pattern();
        break;
      case 5:
        out["format"] = pick<const char*>({"date", "time", "date-time", "email"});
        break;
      case 6:
        out["$ref"] = pick<const char*>({"#", "#/definitions/a", "#/definitions/b",
                                         "#/definitions/c", "#/properties/a", "email", "#/allOf/0",
                                         "#/items", "#/definitions/%61", "http://x/y"});
        break;
      case 7:
        out["required"] = Json::array({name()});
        break;
      default:
        out[pick<const char*>({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                               "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
                               "uniqueItems", "minProperties", "maxProperties"})] =
            one_in(8) ? Json(one_in(2)) : bound();
    }
  }

  void add_nested(Json& out, int depth) {
    switch (choose_(7)) {
      case 0:
        out["properties"] = named_rules(depth, false);
        break;
      case 1:
        out["patternProperties"] = named_rules(depth, true);
        break;
      case 2:
        out["dependencies"] = named_rules(depth, false);
        if (one_in(2)) out["dependencies"]["a"] = Json::array({name()});
        break;
      case 3:
        out["items"] = one_in(2) ? rules(depth) : rule(depth);
        break;
      case 4:
      case 5:
        out[pick<const char*>({"allOf", "anyOf", "oneOf"})] = rules(depth);
        break;
      default:
        out[pick<const char*>({"additionalProperties", "propertyNames", "additionalItems",
                               "contains", "not", "if", "then", "else"})] = rule(depth);
    }
  }

  Choose choose_;
};

inline bool is_undecided(const std::optional<SchemaViolation>& violation) {
  return violation && violation->rule.starts_with("cannot be checked");
}

/// Ends the process when what it lives for takes longer than its bounds of memory and steps can
/// explain: by the processor's time, so that other work on the machine does not count.
class Patience {
 public:
  ~Patience() { CHECK((std::clock() - begun_) / CLOCKS_PER_SEC < 3, "a check keeps its bounds"); }

 private:
  std::clock_t begun_ = std::clock();
};

/// Whether the schema was one. Whatever the two are: a verdict within the bounds, whose words are
/// short and valid UTF-8; and the verdicts of schemas that say the same in other forms agree.
inline bool hold(const Json& schema, const Json& value) {
  constexpr std::uint64_t kStepsMax = 20'000;
  const Patience patience;
  const auto validator = SchemaValidator::compile(schema);
  if (!validator) {
    CHECK(validator.error().message.size() < 2000, "a refusal is short");
    CHECK(is_valid_utf8(validator.error().message), "a refusal is valid UTF-8");
    return false;
  }
  const auto violation = validator->check(value, kStepsMax);
  if (violation) {
    CHECK(!violation->rule.empty() && violation->rule.size() < 2000, "a rule is said shortly");
    CHECK(is_valid_utf8(violation->rule), "a rule is valid UTF-8");
  }
  if (is_undecided(violation)) return true;
  // A reference would lead elsewhere once the schema lies within another.
  if (dump_json(schema).find("\"$ref\"") != std::string::npos) return true;
  const auto opposite = SchemaValidator::compile(Json{{"not", schema}});
  const auto twice = SchemaValidator::compile(Json{{"allOf", {schema, schema}}});
  const auto either = SchemaValidator::compile(Json{{"oneOf", {false, schema}}});
  CHECK(opposite && twice && either, "what is a schema is one within another");
  const auto not_it = opposite->check(value, kStepsMax), both = twice->check(value, kStepsMax),
             one = either->check(value, kStepsMax);
  CHECK(is_undecided(not_it) || not_it.has_value() != violation.has_value(), "not turns round");
  CHECK(is_undecided(both) || both.has_value() == violation.has_value(), "allOf is each");
  CHECK(is_undecided(one) || one.has_value() == violation.has_value(), "oneOf is the one");
  return true;
}

}  // namespace filecall::schema_inputs
