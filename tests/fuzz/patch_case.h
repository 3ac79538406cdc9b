// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "edit/file_edit.h"
#include "edit/hunk_choice.h"

namespace filecall::edit {

/// A fuzzed input: a patch and the file that it is applied to, behind a line with "%%%%".
struct PatchCase {
  std::string_view patch, file;
};
inline PatchCase patch_case(std::string_view input) {
  constexpr std::string_view kBorder = "\n%%%%\n";
  const std::size_t at = input.find(kBorder);
  if (at == std::string_view::npos) return {input, "a\nb\n"};
  return {input.substr(0, at + 1), input.substr(at + kBorder.size())};
}

/// What must hold of a patch that could be read, and of a file that is text: it is applied or
/// refused with a reason that can be shown; what comes out is text; its difference, applied in two
/// parts, is the same.
inline void check_applied(const FilePatch& patch, std::string_view file) {
  for (const bool is_there : {true, false}) {
    const auto out =
        apply_patch(patch, is_there ? std::optional(file) : std::nullopt, WorkBudget{2'000'000});
    if (!out) {
      CHECK(!out.error().message().empty() && is_valid_utf8(out.error().message()),
            "a refusal can be shown");
      continue;
    }
    CHECK(out->hunks.size() == patch.hunks.size() || patch.operation == Operation::kDelete,
          "each hunk has a place");
    if (!is_there || !out->content || find_text_fault(file)) continue;
    const auto hunks = diff_texts(file, *out->content);
    CHECK(hunks.has_value(), "an edited text is a text");
    if (hunks->empty()) continue;
    const auto first = apply_chosen(file, *out->content, {&hunks->front().id, 1});
    CHECK(first.has_value(), "a hunk can be chosen");
    std::vector<std::string> rest;
    for (const DiffHunk& hunk : first->rest) rest.push_back(hunk.id);
    const auto whole = apply_chosen(first->content, *out->content, rest);
    CHECK(whole && whole->content == *out->content && whole->rest.empty(),
          "a hunk and then the rest are the whole");
  }
}

}  // namespace filecall::edit
