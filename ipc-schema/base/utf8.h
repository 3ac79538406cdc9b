// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace filecall {

/// How many bytes at the beginning are ASCII, rounded down to a multiple of 8: what most texts are,
/// recognised eight bytes at a time.
inline std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & 0x8080808080808080) != 0) break;
  }
  return at;
}

bool is_valid_utf8(std::string_view text);
/// Where the first malformed sequence begins; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);
/// How many bytes at the end begin a character whose rest is missing: 0 to 3.
std::size_t unfinished_utf8_end(std::string_view text);
/// Every malformed sequence replaced by U+FFFD, so that the text can stand in JSON and on a
/// terminal.
std::string sanitize_utf8(std::string_view text);

}  // namespace filecall
