// SPDX-License-Identifier: MIT
#include "ipc/schema_words.h"

#include <fmt/core.h>

#include "ipc/json_text.h"

namespace filecall {
namespace {

constexpr std::size_t kNamesBytesMax = 400;

void append_name(std::string& out, std::string_view name, std::string_view between) {
  if (!out.empty()) out += between;
  out += fmt::format("'{}'", excerpt(name, kNamesBytesMax));
}

/// "an array" for people.
std::string with_article(std::string_view type) {
  const bool is_vowel = !type.empty() && std::string_view("aeiou").find(type[0]) != type.npos;
  return fmt::format("{} {}", is_vowel ? "an" : "a", type);
}

const Json* required_by(const SchemaRule& rule) {
  return rule.object ? rule.object->required : nullptr;
}

}  // namespace

std::string names_of(const Json& array, std::string_view between) {
  std::string out;
  for (const Json& name : array) {
    if (out.size() > kNamesBytesMax) break;
    if (const auto* text = name.get_ptr<const std::string*>()) {
      append_name(out, *text, between);
    } else {
      if (!out.empty()) out += between;
      out += excerpt(dump_json(name), kNamesBytesMax);
    }
  }
  return excerpt(out, kNamesBytesMax);
}

std::string wrong_type(const Json& type, const Json& value) {
  const char* is = value.is_number() && !value.is_number_integer() ? "fraction" : value.type_name();
  if (type.is_array()) return fmt::format("must be one of {}, is {}", names_of(type), is);
  return fmt::format("must be {}, is {}", with_article(type.get_ref<const std::string&>()), is);
}

std::string wrong_size(const char* how, std::uint64_t bound, const char* unit, std::size_t size) {
  return fmt::format("must have at {} {} {}{}, has {}", how, bound, unit, bound == 1 ? "" : "s",
                     size);
}

std::string unknown_member(const ObjectRules& rules) {
  std::string names;
  for (const auto& [name, rule] : rules.properties) {
    if (names.size() > kNamesBytesMax) break;
    append_name(names, name, ", ");
  }
  if (names.empty()) return "is not known; remove it";
  return fmt::format("is not known; known are {}", excerpt(names, kNamesBytesMax));
}

std::string forbidden_form(const SchemaRule& forbidden) {
  const Json* together = required_by(forbidden);
  if (together == nullptr) return "has a form that is not allowed";
  return fmt::format("must not have {}", names_of(*together, " together with "));
}

std::string heads_of(const std::vector<const SchemaRule*>& choices) {
  std::string heads;
  for (const SchemaRule* choice : choices) {
    if (heads.size() > kNamesBytesMax) break;
    if (const Json* required = required_by(*choice)) {
      heads += (heads.empty() ? "" : " or ") + names_of(*required, " and ");
    }
  }
  return heads;
}

}  // namespace filecall
