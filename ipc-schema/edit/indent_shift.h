// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

namespace filecall::edit {

/// Parts of a line. Pure.
std::string_view without_trailing(std::string_view text);  ///< White space at its end.
std::string_view indentation_of(std::string_view text);
bool is_blank(std::string_view text);

/// The one indentation by which a file's lines and a hunk's differ that are not blank. Where the
/// file's have more, a hunk's line at the margin may have lost less: it had no more to lose. Then
/// two other lines or more must agree. Views of the lines are kept. One thread.
class IndentShift {
 public:
  /// A line of the file, and the one of the hunk that stands for it.
  void add(std::string_view file, std::string_view hunk);
  /// Whether there is one. All lines were added.
  bool decide();
  /// Whether it is plain how an added line is to be indented, once decided.
  bool fits_added(std::string_view added) const;

  /// What the file's lines have before the hunk's (is_deeper()), or the hunk's before the file's.
  std::string_view bytes() const { return bytes_; }
  bool is_deeper() const { return is_deeper_; }

 private:
  void take(std::string_view bytes, bool is_deeper);

  std::string_view bytes_;
  std::vector<std::string_view> at_margin_;  ///< The file's indentation there.
  bool is_deeper_ = true;
  bool is_known_ = false;
  bool is_one_ = true;
  bool is_clipped_ = false;
  bool is_agreed_ = false;  ///< Two lines or more have it.
};

}  // namespace filecall::edit
