// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include "ipc/json.h"
#include "ipc/schema_validator.h"

namespace filecall {

/// Longest text that is matched against a regular expression of a schema: the standard library's
/// matcher recurses once a byte, so that a long one would exhaust the stack.
inline constexpr std::size_t kPatternSubjectBytesMax = 2048;

/// Bounds `$ref` circles: rules that lie deeper are left to the library and its words.
inline constexpr int kSchemaDepthMax = 64;

/// Finds words for a violation: the first one in document order, at the place where it is and in
/// terms of what to change, where the validation library says "failed to validate against child
/// schema #1". nullopt when it finds none; it does not judge patterns and formats.
std::optional<SchemaViolation> explain_violation(const Json& schema, const Json& value);

/// Whether a rule leads back to itself without going into the value ("$ref": "#"): applying it
/// would never end. Throws for a reference that is no JSON pointer.
bool has_circle(const Json& schema);

/// Whether the schema matches texts against regular expressions anywhere.
bool uses_patterns(const Json& schema);
/// A text in `value` that the schema would match against a regular expression and that is longer
/// than kPatternSubjectBytesMax.
std::optional<SchemaViolation> find_long_subject(const Json& schema, const Json& value);

}  // namespace filecall
