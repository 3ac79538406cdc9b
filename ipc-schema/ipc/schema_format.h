// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall {

/// The values of `format` that are checked; others say nothing about a value.
enum class SchemaFormat : std::uint8_t { kDate, kTime, kDateTime };

/// nullopt: a format that is not checked.
std::optional<SchemaFormat> find_schema_format(std::string_view name);
std::string_view to_string(SchemaFormat format);
/// Dates and times of RFC 3339; a leap second is one in any minute.
bool has_format(std::string_view text, SchemaFormat format);

}  // namespace filecall
