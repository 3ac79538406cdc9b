// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ipc/json.h"
#include "ipc/schema_rule.h"

/// How violations are put into words for people: what to change, in terms of the value. Each text
/// is bounded, whatever the schema lists.
namespace filecall {

/// The names in an array of strings, as "'a', 'b'".
std::string names_of(const Json& array, std::string_view between = ", ");
std::string wrong_type(const Json& type, const Json& value);
std::string wrong_size(const char* how, std::uint64_t bound, const char* unit, std::size_t size);
std::string unknown_member(const ObjectRules& rules);
std::string forbidden_form(const SchemaRule& forbidden);
/// What choices differ in that require different members: "'a' and 'b' or 'c'"; empty: nothing.
std::string heads_of(const std::vector<const SchemaRule*>& choices);

}  // namespace filecall
