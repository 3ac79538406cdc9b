// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Templates: texts with places for variables.
///
/// "{{name}}" is the variable as text (numbers and booleans as JSON writes them), "{{name|json}}"
/// the variable as JSON, and "\{{" two literal braces. `variables` is an object. All pure; failures
/// are invalid_argument: a variable that is missing (or null, as text), or a place that is not
/// closed.

Result<std::string> fill_text(std::string_view text, const Json& variables);

/// Fills every string of `value` (keys stay as they are). A value can never change the structure:
/// it lands inside the string. Only a string that is nothing but "{{name|json}}" becomes the
/// variable itself; a text there (a cell of a CSV file) is read as a number, true or false.
Result<Json> fill_json(const Json& value, const Json& variables);

/// Adds the names of all variables that strings of `value` have places for.
void add_places(const Json& value, std::set<std::string, std::less<>>& names);

/// Whether a string of `value` has a place for the variable.
bool has_place_for(const Json& value, std::string_view variable);

}  // namespace filecall::client
