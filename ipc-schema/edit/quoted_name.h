// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace filecall::edit {

/// A file's name as git writes it in a diff: between quotation marks with C's escapes, when it has
/// a control character, a quotation mark or a backslash. Other characters stand as they are.
std::string quote_name(std::string_view name);

struct QuotedName {
  std::string name;
  std::size_t size = 0;  ///< Bytes of the text that it took, quotation marks included.
};
/// The name that a text begins with, which begins with a quotation mark. nullopt: the end is
/// missing, an escape is unknown or stands for NUL. What is read may be no UTF-8 (octal escapes).
std::optional<QuotedName> read_quoted_name(std::string_view text);

}  // namespace filecall::edit
