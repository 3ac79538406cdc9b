// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace filecall {

/// A run of bytes that stand in a JSON string as they are (RFC 8259 section 7): no quote, no
/// backslash, no control character. Bytes beyond ASCII belong to it, valid UTF-8 or not.
struct PlainRun {
  std::size_t size = 0;
  bool is_ascii = true;
};

/// The run that `text` begins with. Eight bytes at a time: strings are most of what is read and
/// written. Pure.
inline PlainRun plain_run(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  // Sets the high bit of the first byte (the lowest one) that is below `limit`, and perhaps of
  // later ones; of none when there is none.
  const auto below = [](std::uint64_t bytes, std::uint64_t limit) {
    return (bytes - limit * kOnes) & ~bytes & kHighs;
  };
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t stops =
        below(bytes, 0x20) | below(bytes ^ ('"' * kOnes), 1) | below(bytes ^ ('\\' * kOnes), 1);
    if (stops == 0) {
      seen |= bytes;
    } else if constexpr (std::endian::native == std::endian::little) {
      const int size = std::countr_zero(stops) / 8;
      seen |= bytes & ((std::uint64_t{1} << (8 * size)) - 1);
      return {at + static_cast<std::size_t>(size), (seen & kHighs) == 0};
    } else {
      break;
    }
  }
  for (; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == '"' || byte == '\\') break;
    seen |= byte;
  }
  return {at, (seen & kHighs) == 0};
}

}  // namespace filecall
