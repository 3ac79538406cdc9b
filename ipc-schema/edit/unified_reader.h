// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "edit/patch_reader.h"

namespace filecall::edit {

/// A unified diff of any number of files, as git, GNU diff and language models write it: new,
/// deleted and renamed files, quoted names, `\ No newline at end of file`, hunks without a header
/// of a file. What stands before the first header is left out.
///
/// A hunk's header that counts other lines than follow is put right when the hunk's end is plain,
/// and the hunk's note says so; `@@ ... @@` states no place. An empty line is an empty line of
/// context. Binary patches, copies, links and submodules are refused. Pure; any thread.
Result<std::vector<FilePatch>> read_unified_diff(std::string_view text,
                                                 const PatchLimits& limits = {});

}  // namespace filecall::edit
