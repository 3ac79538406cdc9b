// SPDX-License-Identifier: MIT
#pragma once

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
    for (const char c : text) signs_ |= kSigns[static_cast<unsigned char>(c)];
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

  unsigned signs_ = 0;
};

}  // namespace filecall::worker::kube
