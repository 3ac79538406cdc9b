// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Options of programs; lists are separated by spaces.
struct EscapeRow {
  std::string_view programs;
  std::string_view verb;  ///< It stands before the option. Empty: any.
  std::string_view words;
};
std::span<const EscapeRow> escape_rows();

/// An option that is not among the harmless ones of a program that has too many others to list.
bool is_unknown_option(std::string_view program, std::string_view word);

/// words[at] can make the program run another one, read its settings from elsewhere, reach another
/// machine or write a file of the caller's choice: -exec of find, @FILE of gcc, HOST:FILE of tar.
/// By what is known of the program, and else by the name of the option (--config, --output,
/// --plugin). Shortened long options and clusters of letters count. Pure; any thread.
bool is_escape(std::string_view program, const std::vector<std::string>& words, std::size_t at);

}  // namespace filecall::client
