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

/// What a call of sed is given to run.
struct SedArguments {
  std::vector<std::string> scripts;  ///< The values of -e, or the first operand.
  bool is_clear = true;              ///< False: an option is not known, so others may be scripts.
};
SedArguments read_sed_arguments(const std::vector<std::string>& words);

}  // namespace filecall::client
