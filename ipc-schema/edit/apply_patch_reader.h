// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "edit/patch_reader.h"

namespace filecall::edit {

/// Whether a text begins as a `*** Begin Patch` patch, or as a here-document of one.
bool begins_apply_patch(std::string_view text);

/// The format of Codex's apply_patch: `*** Begin Patch`, then `*** Add File: `, `*** Delete File: `
/// and `*** Update File: ` (with `*** Move to: `) in any number, then `*** End Patch`. Hunks of an
/// update begin with `@@` or `@@ LINE`; several such lines narrow a place down. What models mix in
/// is read as well: `@@ LINE @@`, and the line numbers of a unified diff. `*** End of File` says
/// that the hunk's last line is the file's. Spaces around markers, and a here-document
/// (`<<'EOF'` ... `EOF`, `cat <<WORD`, `apply_patch <<WORD`) around all of it, are left out. Pure;
/// any thread.
Result<std::vector<FilePatch>> read_apply_patch(std::string_view text,
                                                const PatchLimits& limits = {});

}  // namespace filecall::edit
