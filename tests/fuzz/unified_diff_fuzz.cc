// SPDX-License-Identifier: MIT
// Unified diffs, and files that they are applied to. Any text is a list of files or has a mistake
// that can be shown; what was read is printed and read again as the same; a file is changed as a
// whole or not at all.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "edit/unified_reader.h"
#include "edit/unified_writer.h"
#include "tests/fuzz/patch_case.h"

namespace {

using namespace filecall;

/// As it was before it was printed and read: no lines of the patch, nothing that was put right.
edit::FilePatch bare(edit::FilePatch patch) {
  patch.patch_line = 0;
  for (edit::PatchHunk& hunk : patch.hunks) {
    hunk.patch_line = 0;
    hunk.note.clear();
  }
  return patch;
}

bool can_be_printed(const edit::FilePatch& patch) {
  const bool has_places =
      std::ranges::all_of(patch.hunks, [](const auto& hunk) { return hunk.place.has_value(); });
  // Printing states a mode where it must, and names no time behind a name.
  return has_places && !patch.path.empty() &&
         (patch.operation == edit::Operation::kUpdate || !patch.hunks.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [text, file] = edit::patch_case({reinterpret_cast<const char*>(data), size});
  const auto files = edit::read_unified_diff(text);
  if (!files) {
    CHECK(is_valid_utf8(files.error().message), "a mistake can be shown");
    return 0;
  }
  for (const edit::FilePatch& patch : *files) {
    edit::check_applied(patch, file);
    if (!can_be_printed(patch)) continue;
    const auto again = edit::read_unified_diff(edit::print_unified_diff({&patch, 1}));
    CHECK(again && again->size() == 1 && bare(again->front()) == bare(patch),
          "what is printed is read as the same");
  }
  return 0;
}
