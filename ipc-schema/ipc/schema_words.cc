// SPDX-License-Identifier: MIT
#include "ipc/schema_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ipc/json_text.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Found = std::optional<SchemaViolation>;

const Json* find(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto member = object.find(name);
  return member == object.end() ? nullptr : &*member;
}

/// The names in an array of strings, as "'a', 'b'".
std::string names_of(const Json& array, std::string_view between = ", ") {
  std::string out;
  for (const Json& name : array) {
    if (!out.empty()) out += between;
    out += name.is_string() ? fmt::format("'{}'", name.get_ref<const std::string&>()) : name.dump();
  }
  return out;
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "integer") return value.is_number_integer();
  return type == value.type_name();
}

/// "an array" for people.
std::string with_article(std::string_view type) {
  const bool is_vowel = !type.empty() && std::string_view("aeiou").find(type[0]) != type.npos;
  return fmt::format("{} {}", is_vowel ? "an" : "a", type);
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class Explainer {
 public:
  explicit Explainer(const Json& root) : root_(root) {}

  Found explain(const Json& schema, const Json& value, const std::string& at, int depth) const {
    if (schema.is_boolean()) {
      if (schema.get<bool>()) return std::nullopt;
      return SchemaViolation{at, "is not allowed; remove it"};
    }
    if (!schema.is_object() || depth > kSchemaDepthMax) return std::nullopt;
    if (const Json* target = referred(schema)) return explain(*target, value, at, depth + 1);
    if (Found found = explain_itself(schema, value, at)) return found;
    if (value.is_object()) {
      if (Found found = explain_object(schema, value, at, depth)) return found;
    }
    if (value.is_array()) {
      if (Found found = explain_array(schema, value, at, depth)) return found;
    }
    return explain_combination(schema, value, at, depth);
  }

 private:
  const Json* referred(const Json& schema) const {
    const Json* ref = find(schema, "$ref");
    if (ref == nullptr || !ref->is_string()) return nullptr;
    const auto& text = ref->get_ref<const std::string&>();
    if (!text.starts_with("#")) return nullptr;
    const Json::json_pointer pointer(text.substr(1));
    return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
  }

  static Found explain_itself(const Json& schema, const Json& value, const std::string& at) {
    if (Found found = explain_type(schema, value, at)) return found;
    if (const Json* wanted = find(schema, "const"); wanted != nullptr && *wanted != value) {
      return SchemaViolation{at, fmt::format("must be {}", excerpt(wanted->dump()))};
    }
    if (const Json* allowed = find(schema, "enum")) {
      if (std::find(allowed->begin(), allowed->end(), value) == allowed->end()) {
        return SchemaViolation{at,
                               fmt::format("must be one of {}", excerpt(names_of(*allowed), 400))};
      }
    }
    if (value.is_number()) return explain_number(schema, value, at);
    if (value.is_string()) {
      const std::size_t size = characters(value.get_ref<const std::string&>());
      return explain_size(schema, size, "minLength", "maxLength", "character", at);
    }
    return std::nullopt;
  }

  static Found explain_type(const Json& schema, const Json& value, const std::string& at) {
    const Json* type = find(schema, "type");
    if (type == nullptr) return std::nullopt;
    const auto fits = [&](const Json& name) {
      return name.is_string() && is_of_type(value, name.get_ref<const std::string&>());
    };
    if (type->is_array() ? std::any_of(type->begin(), type->end(), fits) : fits(*type)) {
      return std::nullopt;
    }
    const char* is =
        value.is_number() && !value.is_number_integer() ? "fraction" : value.type_name();
    if (type->is_array()) {
      return SchemaViolation{at, fmt::format("must be one of {}, is {}", names_of(*type), is)};
    }
    return SchemaViolation{at, fmt::format("must be {}, is {}",
                                           with_article(type->get_ref<const std::string&>()), is)};
  }

  static Found explain_number(const Json& schema, const Json& value, const std::string& at) {
    const Json* low = find(schema, "minimum");
    if (low != nullptr && value < *low) {
      return SchemaViolation{at,
                             fmt::format("must be at least {}, is {}", low->dump(), value.dump())};
    }
    const Json* high = find(schema, "maximum");
    if (high != nullptr && value > *high) {
      return SchemaViolation{at,
                             fmt::format("must be at most {}, is {}", high->dump(), value.dump())};
    }
    const Json* above = find(schema, "exclusiveMinimum");
    if (above != nullptr && above->is_number() && value <= *above) {
      return SchemaViolation{at,
                             fmt::format("must be above {}, is {}", above->dump(), value.dump())};
    }
    const Json* below = find(schema, "exclusiveMaximum");
    if (below != nullptr && below->is_number() && value >= *below) {
      return SchemaViolation{at,
                             fmt::format("must be below {}, is {}", below->dump(), value.dump())};
    }
    return std::nullopt;
  }

  static Found explain_size(const Json& schema, std::size_t size, const char* low_name,
                            const char* high_name, const char* unit, const std::string& at) {
    const auto say = [&](const char* how, std::size_t bound) {
      return SchemaViolation{at, fmt::format("must have at {} {} {}{}, has {}", how, bound, unit,
                                             bound == 1 ? "" : "s", size)};
    };
    const Json* low = find(schema, low_name);
    if (low != nullptr && low->is_number_unsigned() && size < low->get<std::size_t>()) {
      return say("least", low->get<std::size_t>());
    }
    const Json* high = find(schema, high_name);
    if (high != nullptr && high->is_number_unsigned() && size > high->get<std::size_t>()) {
      return say("most", high->get<std::size_t>());
    }
    return std::nullopt;
  }

  Found explain_object(const Json& schema, const Json& value, const std::string& at,
                       int depth) const {
    if (const Json* required = find(schema, "required"); required && required->is_array()) {
      for (const Json& name : *required) {
        const auto& key = name.get_ref<const std::string&>();
        if (!value.contains(key)) return SchemaViolation{at + pointer_token(key), "is missing"};
      }
    }
    if (Found found = explain_members(schema, value, at, depth)) return found;
    if (const Json* needs = find(schema, "dependencies")) {
      for (const auto& [name, needed] : needs->items()) {
        if (!value.contains(name)) continue;
        if (!needed.is_array()) {
          if (Found found = explain(needed, value, at, depth + 1)) return found;
          continue;
        }
        for (const Json& other : needed) {
          const auto& key = other.get_ref<const std::string&>();
          if (!value.contains(key)) {
            return SchemaViolation{at + pointer_token(key),
                                   fmt::format("is missing; '{}' needs it", name)};
          }
        }
      }
    }
    return explain_size(schema, value.size(), "minProperties", "maxProperties", "member", at);
  }

  Found explain_members(const Json& schema, const Json& value, const std::string& at,
                        int depth) const {
    const Json* properties = find(schema, "properties");
    const Json* additional = find(schema, "additionalProperties");
    if (find(schema, "patternProperties") != nullptr) additional = nullptr;
    for (const auto& [name, member] : value.items()) {
      const std::string below = at + pointer_token(name);
      const Json* own = properties == nullptr ? nullptr : find(*properties, name.c_str());
      if (own == nullptr && additional != nullptr && *additional == false) {
        return SchemaViolation{below, unknown_member(properties)};
      }
      const Json* rule = own != nullptr ? own : additional;
      if (rule == nullptr) continue;
      if (Found found = explain(*rule, member, below, depth + 1)) return found;
    }
    return std::nullopt;
  }

  static std::string unknown_member(const Json* properties) {
    if (properties == nullptr || properties->empty()) return "is not known; remove it";
    Json names = Json::array();
    for (const auto& [name, rule] : properties->items()) names.push_back(name);
    return fmt::format("is not known; known are {}", excerpt(names_of(names), 400));
  }

  Found explain_array(const Json& schema, const Json& value, const std::string& at,
                      int depth) const {
    if (Found found = explain_size(schema, value.size(), "minItems", "maxItems", "element", at)) {
      return found;
    }
    const Json* items = find(schema, "items");
    const Json* additional = find(schema, "additionalItems");
    for (std::size_t i = 0; items != nullptr && i < value.size(); ++i) {
      const Json* rule = items;
      if (items->is_array()) rule = i < items->size() ? &(*items)[i] : additional;
      if (rule == nullptr) break;
      if (Found found = explain(*rule, value[i], fmt::format("{}/{}", at, i), depth + 1)) {
        return found;
      }
    }
    const Json* unique = find(schema, "uniqueItems");
    if (unique != nullptr && *unique == true) {
      std::vector<Json> sorted(value.begin(), value.end());
      std::sort(sorted.begin(), sorted.end());
      const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
      if (twin != sorted.end()) {
        return SchemaViolation{
            at, fmt::format("has {} twice; elements must differ", excerpt(twin->dump()))};
      }
    }
    return std::nullopt;
  }

  Found explain_combination(const Json& schema, const Json& value, const std::string& at,
                            int depth) const {
    if (const Json* all = find(schema, "allOf")) {
      for (const Json& one : *all) {
        if (Found found = explain(one, value, at, depth + 1)) return found;
      }
    }
    for (const char* keyword : {"oneOf", "anyOf"}) {
      const Json* choices = find(schema, keyword);
      if (choices == nullptr) continue;
      const bool is_exclusive = keyword[0] == 'o';
      if (Found found = explain_choice(*choices, is_exclusive, value, at, depth)) return found;
    }
    if (const Json* condition = find(schema, "if")) {
      const bool holds = !explain(*condition, value, at, depth + 1);
      if (const Json* then = find(schema, holds ? "then" : "else")) {
        if (Found found = explain(*then, value, at, depth + 1)) return found;
      }
    }
    const Json* forbidden = find(schema, "not");
    if (forbidden == nullptr || explain(*forbidden, value, at, depth + 1)) return std::nullopt;
    const Json* together = find(*forbidden, "required");
    if (together == nullptr) return SchemaViolation{at, "has a form that is not allowed"};
    return SchemaViolation{at,
                           fmt::format("must not have {}", names_of(*together, " together with "))};
  }

  Found explain_choice(const Json& choices, bool is_exclusive, const Json& value,
                       const std::string& at, int depth) const {
    int fitting = 0;
    Found best;
    std::string heads;
    for (const Json& choice : choices) {
      const Json* required = find(choice, "required");
      if (required != nullptr)
        heads += (heads.empty() ? "" : " or ") + names_of(*required, " and ");
      Found found = explain(choice, value, at, depth + 1);
      if (!found) {
        ++fitting;
      } else if (!best || found->pointer.size() > best->pointer.size()) {
        best = std::move(found);
      }
    }
    if (fitting == 1 || (fitting > 1 && !is_exclusive)) return std::nullopt;
    // The choices differ in what they require, and none of it, or too much of it, is there.
    const bool is_of_heads =
        !heads.empty() && (fitting > 1 || (best && best->rule == "is missing"));
    if (is_of_heads) {
      return SchemaViolation{
          at, fmt::format("must have either {}{}", heads, fitting > 1 ? ", not both" : "")};
    }
    if (fitting > 1) return SchemaViolation{at, "fits more than one of the allowed forms"};
    return best;
  }

  const Json& root_;
};

}  // namespace

Found explain_violation(const Json& schema, const Json& value) {
  return Explainer(schema).explain(schema, value, "", 0);
}

}  // namespace filecall
