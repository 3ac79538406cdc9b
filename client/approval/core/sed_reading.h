// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Whether a script of sed does nothing but read, change and print lines: no `e`, `w`, `W`, `r`,
/// `R`, no `s///e` and `s///w`, and nothing that is not understood (GNU sed 4.9, "sed scripts").
/// Linear. Pure.
bool is_plain_sed(std::string_view script);

/// The scripts in the words of a call of sed: the values of -e, or the first operand.
std::vector<std::string> sed_scripts(const std::vector<std::string>& words);

}  // namespace filecall::client
