// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// What a shell would run, as far as a reader without its state can tell: for rules that deny.
/// Nothing of it is ever enough to allow.
struct ShellReading {
  std::vector<std::vector<std::string>> commands;  ///< Words without quotes, in their order.
  std::set<std::string> doubts;                    ///< "a substitution", "a redirection".
};

/// Splits a script at operators and line ends, also within substitutions and groups; takes quotes,
/// escapes, continued lines, assignments, redirections and reserved words off. Beyond some levels
/// of substitutions everything that is no letter of a word separates: more is found then, never
/// less. Linear in time and memory. Pure; any thread.
ShellReading read_shell(std::string_view script);

}  // namespace filecall::client
