// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/text_diff.h"

namespace filecall::edit {

/// What some hunks of a difference make of a text, and what is then left of it.
struct ChosenHunks {
  std::string content;
  std::vector<DiffHunk> rest;  ///< Makes the whole of `content`; ids as diff_texts() gives them.
};

/// Applies the hunks of diff_texts(before, after) that are named by their ids, and compares what
/// comes out with `after`. An id that the difference does not have is not_found. Pure; any thread.
Result<ChosenHunks> apply_chosen(std::string_view before, std::string_view after,
                                 std::span<const std::string> ids);

}  // namespace filecall::edit
