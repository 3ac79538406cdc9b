// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "worker/exec/git/change_list.h"

namespace filecall::worker::git {

/// How a change of a file reads.
struct PatchText {
  std::string text;  ///< As `git diff --full-index --find-renames=100%` prints it.
  std::size_t additions = 0;
  std::size_t deletions = 0;
};

/// The patch of a change whose sides hold these texts; an absent side is empty. Names are not
/// functions' (`@@ -1 +1 @@` ends there). Failure: a side is no text. Pure.
Result<PatchText> make_patch(const FileChange& change, const std::string& before,
                             const std::string& after);

}  // namespace filecall::worker::git
