// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace filecall::edit {

/// How a line ends. Only the last line of a text may end with nothing.
enum class LineEnd : std::uint8_t { kNone, kLf, kCrLf };
std::string_view bytes_of(LineEnd end);

/// U+FEFF at the beginning of a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Why bytes are no text that can be edited.
struct TextFault {
  enum class Kind : std::uint8_t { kBinary, kEncoding, kTooLarge };
  Kind kind;
  std::size_t offset = 0;  ///< Of the first byte that is wrong.
};
/// "binary", "encoding" or "too large": the word that an answer names it with.
std::string_view to_string(TextFault::Kind kind);
/// A NUL byte makes content binary; all else must be UTF-8. nullopt: it is text. Linear.
std::optional<TextFault> find_text_fault(std::string_view bytes);

/// The lines of a text, as places in bytes that the caller keeps. Nothing is normalised: the lines
/// put together again are the bytes. A line ends with LF or CR LF; any other CR is part of its
/// text. A byte order mark is part of the first line's text. Needs 8 bytes a line. Immutable; any
/// thread.
class TextLines {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{1} << 29;

  /// Fails with failed_precondition when the bytes are no text; `name` stands in the message.
  static Result<TextLines> of(std::string_view bytes, std::string_view name);

  std::size_t size() const { return lines_.size(); }
  std::string_view bytes() const { return bytes_; }
  /// Without its end.
  std::string_view text(std::size_t line) const {
    return bytes_.substr(lines_[line].begin, lines_[line].size_and_end >> 2);
  }
  LineEnd end(std::size_t line) const {
    return static_cast<LineEnd>(lines_[line].size_and_end & 3);
  }
  /// Offset of the line's first byte; of the end of the text for `size()`.
  std::size_t offset(std::size_t line) const {
    return line < lines_.size() ? lines_[line].begin : bytes_.size();
  }
  /// Index of the line that holds a byte.
  std::size_t line_at(std::size_t offset) const;
  bool has_mark() const { return bytes_.starts_with(kByteOrderMark); }
  bool lacks_final_newline() const {
    return !lines_.empty() && end(lines_.size() - 1) == LineEnd::kNone;
  }
  /// How a new line at this place ends: as the line that stands there or the one before it does,
  /// and as most lines do where neither says.
  LineEnd end_near(std::size_t line) const;

 private:
  struct Place {
    std::uint32_t begin;
    std::uint32_t size_and_end;  ///< The size of its text, and its LineEnd in two bits.
  };

  explicit TextLines(std::string_view bytes);

  std::string_view bytes_;
  std::vector<Place> lines_;
  LineEnd usual_end_ = LineEnd::kLf;
};

}  // namespace filecall::edit
