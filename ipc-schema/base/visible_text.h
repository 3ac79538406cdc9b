// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filecall {

/// Text of others for a person who decides on it. What a terminal does not show but obeys, and what
/// nobody sees (controls, marks of direction, separators, spaces other than U+0020, characters
/// without a width, tags) is written as an escape, "\u200b", so that no text looks like another.
/// Malformed UTF-8 becomes U+FFFD. Pure.
///
/// Line feeds and tabs stay.
std::string visible_text(std::string_view text);
/// One line whatever it holds: line feeds and tabs are escapes, too.
std::string visible_line(std::string_view text);

/// Each line with `before` in front of it, and an end of line: no line of the text can look like
/// one of the program that prints it. Empty stays empty. Pure.
std::string quoted_lines(std::string_view text, std::string_view before);

/// Rows of at most `columns` for a terminal, which would else begin a new row by itself, in which a
/// text could look like a line of the program. What goes on begins with `before`. A character that
/// is no ASCII counts for two columns, a tab for eight, a colour for none. 0 columns: as it is.
/// Pure.
std::string folded_lines(std::string_view text, std::size_t columns, std::string_view before);

}  // namespace filecall
