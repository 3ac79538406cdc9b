// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// In which form two texts are compared. The composed form of Unicode (NFC) always: what looks the
/// same is the same. Pure, as all here.
struct TextForm {
  bool trim = true;          ///< White space at both ends does not count.
  bool ignore_case = false;  ///< By Unicode's case folding, not by a locale.
  bool one_space = false;    ///< A run of white space counts as one space.
};

std::string in_form(std::string_view text, const TextForm& form);

/// Words for comparing by their bag: case folded, cut at white space, punctuation (Unicode's
/// classes P) taken off both ends; what was nothing but punctuation is left out. No article is
/// dropped: what a word is worth depends on the language.
std::vector<std::string> words_of(std::string_view text);

/// The code points of a text. Malformed UTF-8 counts as U+FFFD.
std::u32string code_points_of(std::string_view text);

}  // namespace filecall::client
