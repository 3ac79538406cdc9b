// SPDX-License-Identifier: MIT
// The layout of --help in both programs. Pure. packaging/man/generate.py reads what this writes: a
// heading that ends with a colon, and below it rows that begin with two spaces.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace filecall {

/// What a row explains, such as an option with its value, and the explanation.
struct HelpRow {
  std::string head;
  std::string_view text;
};

/// The words of `text` in lines of at most 96 columns, of which the first starts at column `indent`
/// and the others are indented by as much. Ends with a line feed.
std::string wrapped_text(std::string_view text, std::size_t indent);

/// Rows in two columns, the explanations wrapped.
std::string help_rows(std::span<const HelpRow> rows);

}  // namespace filecall
