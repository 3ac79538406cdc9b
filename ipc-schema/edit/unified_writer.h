// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "edit/patch.h"

namespace filecall::edit {

/// Patches as a unified diff, as `git diff` writes it. Hunks must have a place. What
/// read_unified_diff() makes of it is the same again; a deleted file, and a new one without lines,
/// has mode 0644 then when it had none. Pure; any thread.
std::string print_unified_diff(std::span<const FilePatch> files);

/// `@@ -1,2 +3,4 @@`.
std::string hunk_header(const PatchHunk& hunk);
/// The hunk's lines with their signs, without its header.
std::string hunk_body(const PatchHunk& hunk);

}  // namespace filecall::edit
