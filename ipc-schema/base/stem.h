// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace filecall {

/// A stem is a request's identity and, with ".json", its file name: 1..200 bytes of valid UTF-8
/// without control characters (U+0000..U+001F, U+007F), without '/', not starting with a dot.
inline constexpr std::size_t kStemBytesMax = 200;

bool is_valid_stem(std::string_view stem);

}  // namespace filecall
