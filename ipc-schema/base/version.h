// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall {

/// The version of both programs, such as "1.2.3". CMakeLists.txt has it. A function and no macro,
/// so that another version compiles one file.
std::string_view program_version();

}  // namespace filecall
