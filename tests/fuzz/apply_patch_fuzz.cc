// SPDX-License-Identifier: MIT
// `*** Begin Patch` patches, and files that they are applied to. Any text is a list of files or has
// a mistake that can be shown; a file is changed as a whole or not at all. The same text as the old
// and the new side of a search and replace ends, too.
#include <cstddef>
#include <cstdint>

#include "edit/apply_patch_reader.h"
#include "tests/fuzz/patch_case.h"

namespace {

using namespace filecall;

void check_edit(std::string_view text, std::string_view file) {
  const std::size_t middle = text.size() / 2;
  const edit::TextEdit edit{std::string(text.substr(0, middle)), std::string(text.substr(middle))};
  if (!is_valid_utf8(edit.old_text) || !is_valid_utf8(edit.new_text)) return;
  const auto out = edit::apply_edits(file, {&edit, 1}, edit::WorkBudget{2'000'000});
  CHECK(out ? out->hunks.size() == 1 : is_valid_utf8(out.error().message()),
        "an edit has a place or a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [text, file] = edit::patch_case({reinterpret_cast<const char*>(data), size});
  check_edit(text, file);
  const auto files = edit::read_apply_patch(text);
  if (!files) {
    CHECK(is_valid_utf8(files.error().message), "a mistake can be shown");
    return 0;
  }
  for (const edit::FilePatch& patch : *files) edit::check_applied(patch, file);
  return 0;
}
