// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::edit {

/// Names of the three texts, as they stand at the marks of a conflict.
struct MergeNames {
  std::string base = "base";
  std::string ours = "file";
  std::string theirs = "proposal";
};

struct MergedText {
  /// Conflicts stand between marks, with the base's lines between (`diff3`). The marks are longer
  /// than any row of such characters at the beginning of a line of the texts.
  std::string content;
  std::size_t conflicts = 0;
  bool is_clean() const { return conflicts == 0; }
};

/// What `ours` and `theirs` make of `base` together (libgit2's git_merge_file). All must be text,
/// else failed_precondition; so it is where libgit2 cannot be loaded. In memory; any thread.
Result<MergedText> merge_texts(std::string_view base, std::string_view ours,
                               std::string_view theirs, const MergeNames& names = {});

}  // namespace filecall::edit
