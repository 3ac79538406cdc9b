// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/patch.h"

namespace filecall::edit {

/// A part of a difference that can be chosen by itself.
struct DiffHunk {
  /// A hash of the hunk's lines, then "-2" for the second of equal hunks. The same texts have the
  /// same ids, and so has what is left of them when other hunks were applied, equal hunks apart.
  std::string id;
  PatchHunk hunk;  ///< Has a place.
};

/// What makes `after` of `before`: hunks with three lines of context (libgit2's git_diff_buffers).
/// Both must be text, else failed_precondition; so it is where libgit2 cannot be loaded. In memory;
/// any thread.
Result<std::vector<DiffHunk>> diff_texts(std::string_view before, std::string_view after);

}  // namespace filecall::edit
