// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/edit_refusal.h"
#include "edit/line_index.h"
#include "edit/patch.h"

namespace filecall::edit {

/// How well a hunk's old lines fit the lines where it is applied, best first.
enum class Grade : std::uint8_t {
  kExact,
  kLineEnd,        ///< But for CR LF against LF, the byte order mark or the final newline.
  kTrailingSpace,  ///< But for white space at the end of lines.
  kIndentation,    ///< But for one indentation that all lines have more, or all have less.
  kPunctuation,    ///< But for typographic quotation marks, dashes and spaces.
  kMissingLine,    ///< The hunk lacks one line of context that the file has.
  /// One or two of the outermost lines of context do not fit. Only where the hunk says by a line
  /// number or an anchor that it belongs, and where lines that are alike stand in their place.
  kOuterContext,
};
std::string_view to_string(Grade grade);  ///< "exact", "line_end", ...

/// One place for a hunk.
struct HunkPlace {
  std::int64_t start = 0;  ///< Index of the line where its first old line stands, or would stand.
  bool is_usable = true;   ///< False: it fits too loosely to be changed, but makes others doubtful.
  Grade grade = Grade::kExact;
  bool ends_differ = false;
  /// What the file's lines have before the hunk's (`is_deeper`), or the hunk's before the file's.
  std::string_view shift;
  bool is_deeper = false;
  std::size_t first = 0;  ///< Of the hunk's old lines, the first and one behind the last that fit.
  std::size_t last = 0;
  std::size_t gap = 0;  ///< That many old lines lie before the line that the hunk lacks; 0: none.

  /// The file's line where an old line of the hunk stands.
  std::int64_t line_of(std::size_t old_line) const {
    return start + static_cast<std::int64_t>(old_line) + (gap > 0 && old_line >= gap ? 1 : 0);
  }
};

/// What a search may cost, in lines that are compared: about a second.
struct WorkBudget {
  std::int64_t lines_left = 300'000'000;
  /// False when it is used up.
  bool spend(std::size_t lines) { return (lines_left -= static_cast<std::int64_t>(lines)) >= 0; }
};

/// A hunk's lines as the finder needs them. The hunk outlives it.
class OldLines {
 public:
  OldLines(const PatchHunk& hunk, const LineIndex& index);

  const PatchHunk& hunk() const { return *hunk_; }
  std::size_t size() const { return lines_.size(); }
  const PatchLine& line(std::size_t i) const { return *lines_[i]; }
  std::span<const std::int32_t> numbers() const { return numbers_; }
  /// Lines of context before the first change, and after the last.
  std::size_t leading() const { return leading_; }
  std::size_t trailing() const { return trailing_; }
  /// Whether a line of the file between old lines i - 1 and i can only be one of context.
  bool may_lack_before(std::size_t i) const { return may_lack_[i]; }

 private:
  const PatchHunk* hunk_;
  std::vector<const PatchLine*> lines_;
  std::vector<std::int32_t> numbers_;
  std::vector<bool> may_lack_;
  std::size_t leading_ = 0;
  std::size_t trailing_ = 0;
};

/// How far a hunk's lines may be from those of the file.
enum class Looseness : std::uint8_t {
  kAllLines,     ///< All of its lines fit: kExact to kPunctuation.
  kSomeContext,  ///< Some of its context may not: kMissingLine and kOuterContext, too.
};

/// Finds where hunks fit in one text. Immutable but for the budget. The text outlives it.
class HunkFinder {
 public:
  explicit HunkFinder(const TextLines& text) : text_(text), index_(text) {}

  const TextLines& text() const { return text_; }
  const LineIndex& index() const { return index_; }

  /// All places of the first kind of fit that has any: all lines (kExact to kPunctuation), all but
  /// a missing one, without one outer line, without two. Those that do not fit the
  /// hunk's anchors, or its end of the file, are left out.
  Result<std::vector<HunkPlace>, EditRefusal> places(const OldLines& old, Looseness looseness,
                                                     WorkBudget& budget) const;
  /// All places where it fits but for a missing line, or without one or two outer lines.
  Result<std::vector<HunkPlace>, EditRefusal> looser_places(const OldLines& old,
                                                            WorkBudget& budget) const;
  /// Where the lines that the hunk leaves stand in full, as if it were applied.
  Result<std::vector<HunkPlace>, EditRefusal> applied_places(const PatchHunk& hunk,
                                                             WorkBudget& budget) const;
  /// The place that fits best though no hunk may be applied there.
  std::optional<Divergence> nearest(const OldLines& old, WorkBudget& budget) const;

 private:
  using Places = std::vector<HunkPlace>;

  bool whole(const OldLines& old, std::size_t first, std::size_t last, WorkBudget& budget,
             Places& places) const;
  bool with_gap(const OldLines& old, WorkBudget& budget, Places& places) const;
  bool without_outer(const OldLines& old, std::size_t dropped, WorkBudget& budget,
                     Places& places) const;
  bool may_drop_outer(const OldLines& old, const HunkPlace& place) const;
  void grade(const OldLines& old, HunkPlace& place) const;
  bool keep_anchored(const PatchHunk& hunk, WorkBudget& budget, Places& places) const;
  void keep_at_end(const OldLines& old, Places& places) const;
  std::string_view text_for(const PatchLine& old, std::size_t line) const;

  const TextLines& text_;
  LineIndex index_;
};

}  // namespace filecall::edit
