// SPDX-License-Identifier: MIT
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace filecall::worker::kube {

inline bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
/// What tokens are made of.
inline bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit_char(c) || c == '_' ||
         c == '-';
}

/// Whether a token may begin at this place: not behind another character of one, unless with a
/// dash.
inline bool is_word_begin(std::string_view text, std::size_t at) {
  return at == 0 || !is_token_char(text[at - 1]) || text[at] == '-';
}

#if defined(__SSE2__)
/// is_word_begin() of the sixteen bytes at `data`, which have a byte before them: a bit each.
inline unsigned word_begins(const char* data) {
  const auto load = [](const char* from) {
    __m128i bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  };
  // From `first` on, and at most `count` above it.
  const auto is_among = [](__m128i bytes, char first, char count) {
    const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(count)), above);
  };
  const __m128i before = load(data - 1);
  const __m128i dash = _mm_set1_epi8('-');
  const __m128i is_letter = is_among(_mm_or_si128(before, _mm_set1_epi8(0x20)), 'a', 25);
  const __m128i is_digit = is_among(before, '0', 9);
  const __m128i is_sign =
      _mm_or_si128(_mm_cmpeq_epi8(before, dash), _mm_cmpeq_epi8(before, _mm_set1_epi8('_')));
  const __m128i is_inside = _mm_or_si128(_mm_or_si128(is_letter, is_digit), is_sign);
  const __m128i is_dash = _mm_cmpeq_epi8(load(data), dash);
  return (~static_cast<unsigned>(_mm_movemask_epi8(is_inside)) & 0xffff) |
         static_cast<unsigned>(_mm_movemask_epi8(is_dash));
}
#endif

/// Calls `visit` with every place of a text that is_word_begin(), in order: sixteen bytes at a time
/// where every machine of the kind can. Most bytes of most texts are inside a word. Pure.
template <typename Visit>
void for_each_word_begin(std::string_view text, Visit visit) {
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t kStep = sizeof(__m128i);
  if (text.size() > kStep) {
    visit(at);
    for (++at; at < text.size(); at += kStep) {
      // The last step begins where it just fits, and leaves out what the one before saw.
      const std::size_t from = std::min(at, text.size() - kStep);
      unsigned begins = word_begins(text.data() + from) >> (at - from);
      for (; begins != 0; begins &= begins - 1) {
        visit(at + static_cast<std::size_t>(std::countr_zero(begins)));
      }
    }
  }
#endif
  for (; at < text.size(); ++at) {
    if (is_word_begin(text, at)) visit(at);
  }
}

}  // namespace filecall::worker::kube
