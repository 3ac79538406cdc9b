// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "edit/hunk_finder.h"

namespace filecall::edit {

/// Bytes [begin, end) of a text are replaced.
struct Splice {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
  std::size_t hunk = 0;  ///< Index of the hunk or edit that wants it.
};
/// Two hunks that cannot both be applied, in the order of the patch.
struct MeetingHunks {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// What a hunk does to a text at a place: its added lines instead of its removed ones, indented and
/// ended as the lines around them are. Lines of context stay as the text has them, and so do a byte
/// order mark and a missing final newline, unless the hunk says otherwise. `number` is the hunk's
/// index. Pure.
std::vector<Splice> splices_of(const TextLines& text, const PatchHunk& hunk, const HunkPlace& place,
                               std::size_t number);

/// Makes all replacements at once; fails when two of them meet the same bytes, or both add at one
/// place. Pure.
Result<std::string, MeetingHunks> spliced(std::string_view text, std::vector<Splice> splices);

}  // namespace filecall::edit
