// SPDX-License-Identifier: MIT
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <cstdint>
#include <string_view>

#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {

/// Which signs stand in a text, found in one pass: they tell for most texts that a rule has nothing
/// to look for. Pure.
class TextSigns {
 public:
  enum Sign : std::uint16_t {
    kBlank = 1,     ///< ' '
    kControl = 2,   ///< A tab or a break, all below a blank.
    kEquals = 4,    ///< =
    kColon = 8,     ///< :
    kGreater = 16,  ///< >
    kComma = 32,    ///< ,
    kDash = 64,     ///< -
    kBar = 128,     ///< |
    kQuote = 256,   ///< " and '
    kOther = 512,   ///< Whatever else is no letter, digit or '_'.
  };

  explicit TextSigns(std::string_view text) {
#if defined(__SSE2__)
    // Most of most texts is words: sixteen bytes without a sign are passed at once.
    while (text.size() >= sizeof(__m128i)) {
      if (!is_one_word(text.data())) add(text.substr(0, sizeof(__m128i)));
      text.remove_prefix(sizeof(__m128i));
    }
#endif
    add(text);
  }
  /// Whether one of these is there.
  bool has(unsigned signs) const { return (signs_ & signs) != 0; }
  /// No sign at all: letters, digits and '_'.
  bool is_one_word() const { return signs_ == 0; }

 private:
  static constexpr std::array<std::uint16_t, 256> kSigns = [] {
    std::array<std::uint16_t, 256> signs{};
    for (std::size_t byte = 0; byte < signs.size(); ++byte) {
      const auto c = static_cast<char>(byte);
      signs[byte] = is_token_char(c) ? 0 : kOther;
      if (byte < ' ') signs[byte] = kControl;
    }
    signs[' '] = kBlank;
    signs['='] = kEquals;
    signs[':'] = kColon;
    signs['>'] = kGreater;
    signs[','] = kComma;
    signs['-'] = kDash;
    signs['|'] = kBar;
    signs['"'] = signs['\''] = kQuote;
    return signs;
  }();

  void add(std::string_view text) {
    for (const char c : text) signs_ |= kSigns[static_cast<unsigned char>(c)];
  }
#if defined(__SSE2__)
  /// Of sixteen bytes.
  static bool is_one_word(const char* bytes) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const auto are_below = [](__m128i places, char count) {
      return _mm_cmpeq_epi8(_mm_min_epu8(places, _mm_set1_epi8(static_cast<char>(count - 1))),
                            places);
    };
    const __m128i small = _mm_or_si128(text, _mm_set1_epi8(0x20));
    const __m128i is_letter = are_below(_mm_sub_epi8(small, _mm_set1_epi8('a')), 26);
    const __m128i is_digit = are_below(_mm_sub_epi8(text, _mm_set1_epi8('0')), 10);
    const __m128i is_line = _mm_cmpeq_epi8(text, _mm_set1_epi8('_'));
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(is_letter, is_digit), is_line)) == 0xffff;
  }
#endif

  unsigned signs_ = 0;
};

}  // namespace filecall::worker::kube
