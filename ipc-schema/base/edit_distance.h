// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace filecall {

/// Levenshtein's distance in code points, by Hyyrö's bit vectors: 64 cells a step. Pure.
std::size_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace filecall
