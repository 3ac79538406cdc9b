// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "edit/text_lines.h"

namespace filecall::edit {

/// What may differ at the ends of lines.
inline constexpr std::string_view kWhiteSpace = " \t\v\f\r";

/// A line with typographic dashes, quotation marks and spaces replaced by those of ASCII, without a
/// byte order mark and without white space at both ends. `storage` is used when it is not a part of
/// the line.
std::string_view folded(std::string_view line, std::string& storage);

/// A text's lines as numbers: lines that are equal when folded have the same one. Immutable; any
/// thread. The text's bytes outlive it.
class LineIndex {
 public:
  static constexpr std::int32_t kUnknown = -1;

  explicit LineIndex(const TextLines& text);
  LineIndex(const LineIndex&) = delete;
  LineIndex& operator=(const LineIndex&) = delete;

  std::span<const std::int32_t> numbers() const { return numbers_; }
  /// kUnknown for a line that the text does not have.
  std::int32_t number_of(std::string_view line) const;

 private:
  std::deque<std::string> storage_;
  std::unordered_map<std::string_view, std::int32_t, StringHash> known_;
  std::vector<std::int32_t> numbers_;
};

/// For each place of `text`: how many values at the beginning of `pattern` stand there, at most
/// all. Linear (the Z function).
template <typename T>
std::vector<std::uint32_t> prefix_lengths(std::span<const T> pattern, std::span<const T> text) {
  const std::size_t size = pattern.size();
  std::vector<std::uint32_t> own(size, 0);
  for (std::size_t i = 1, left = 0, right = 0; i < size; ++i) {
    std::size_t length = 0;
    if (i < right) length = std::min<std::size_t>(right - i, own[i - left]);
    while (i + length < size && pattern[length] == pattern[i + length]) ++length;
    own[i] = static_cast<std::uint32_t>(length);
    if (i + length > right) left = i, right = i + length;
  }
  std::vector<std::uint32_t> found(text.size(), 0);
  for (std::size_t i = 0, left = 0, right = 0; i < text.size(); ++i) {
    std::size_t length = 0;
    if (i < right) {
      const std::size_t at = i - left;
      length = std::min<std::size_t>(right - i, at < size ? (at == 0 ? size : own[at]) : 0);
    }
    while (length < size && i + length < text.size() && pattern[length] == text[i + length]) {
      ++length;
    }
    found[i] = static_cast<std::uint32_t>(length);
    if (i + length > right) left = i, right = i + length;
  }
  return found;
}

}  // namespace filecall::edit
