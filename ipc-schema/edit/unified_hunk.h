// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "edit/patch_reader.h"

namespace filecall::edit {

/// Reads a hunk of a unified diff from the line with `@@` to its end. Pure.
Result<PatchHunk> read_unified_hunk(PatchCursor& cursor);

/// What a line `@@ -1,2 +3,4 @@` states, whatever it counts; nullopt when it is written otherwise.
std::optional<StatedPlace> read_stated_place(std::string_view line);

/// Whether a file's two lines with `---` and `+++` begin at a line.
bool begins_names(const PatchCursor& cursor, std::size_t line);
/// Whether what mail programs and `git format-patch` put at the end begins here.
bool begins_signature(const PatchCursor& cursor);

}  // namespace filecall::edit
