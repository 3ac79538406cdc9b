// SPDX-License-Identifier: MIT
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
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

/// The run that `text` begins with, for any machine. Eight bytes at a time: strings are most of
/// what is read and written. Pure.
inline PlainRun portable_plain_run(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  // Sets the high bit of the first byte (the lowest one) that is below `limit`, and perhaps of
  // later ones; of none when there is none.
  const auto below = [](std::uint64_t bytes, std::uint64_t limit) {
    return (bytes - limit * kOnes) & ~bytes & kHighs;
  };
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; text.size() >= sizeof bytes && at < text.size();
       at += sizeof bytes) {
    // The last step begins where it just fits: what it sees for the second time is plain.
    at = std::min(at, text.size() - sizeof bytes);
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

/// The same, sixteen bytes at a time where every machine of the kind can: a third of the time.
inline PlainRun plain_run(std::string_view text) {
#if defined(__SSE2__)
  if (text.size() < sizeof(__m128i)) return portable_plain_run(text);
  const __m128i last_control = _mm_set1_epi8(0x1f);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  unsigned seen = 0;  // A bit for each byte beyond ASCII.
  std::size_t at = 0;
  for (__m128i bytes; at < text.size(); at += sizeof bytes) {
    at = std::min(at, text.size() - sizeof bytes);  // As above.
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
    const __m128i is_sign =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(is_control, is_sign)));
    const auto highs = static_cast<unsigned>(_mm_movemask_epi8(bytes));
    if (stops != 0) {
      seen |= highs & ((stops & (~stops + 1)) - 1);  // Those before the first stop.
      return {at + static_cast<std::size_t>(std::countr_zero(stops)), seen == 0};
    }
    seen |= highs;
  }
  return {text.size(), seen == 0};
#else
  return portable_plain_run(text);
#endif
}

}  // namespace filecall
