// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filecall {

bool is_valid_utf8(std::string_view text);
/// Where the first malformed sequence begins; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);
/// Every malformed sequence replaced by U+FFFD, so that the text can stand in JSON and on a
/// terminal.
std::string sanitize_utf8(std::string_view text);

}  // namespace filecall
