// SPDX-License-Identifier: MIT
#include "edit/file_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edit/hunk_placing.h"
#include "edit/hunk_splices.h"

namespace filecall::edit {
namespace {

using Reason = EditRefusal::Reason;

Result<TextLines, EditRefusal> lines_of(std::string_view text) {
  auto lines = TextLines::of(text, "the file");
  if (!lines) return refusal_of(Reason::kTextFault, std::move(lines).error().message);
  return *std::move(lines);
}

}  // namespace

Result<EditedText, EditRefusal> apply_hunks(std::string_view text, std::span<const PatchHunk> hunks,
                                            WorkBudget budget) {
  TRY_ASSIGN(const TextLines lines, lines_of(text));
  TRY_ASSIGN(const auto places, HunkPlacing(lines, Looseness::kSomeContext, budget).place(hunks));
  std::vector<Splice> splices;
  EditedText edited;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    for (Splice& splice : splices_of(lines, hunks[i], places[i], i)) {
      splices.push_back(std::move(splice));
    }
    edited.hunks.push_back(
        {places[i].grade, std::max<std::int64_t>(0, places[i].start) + 1, hunks[i].note});
  }
  auto content = spliced(text, std::move(splices));
  if (!content) {
    EditRefusal refusal = overlap_of(content.error());
    refusal.patch_line = hunks[content.error().second].patch_line;
    return refusal;
  }
  edited.content = *std::move(content);
  return edited;
}

Result<PatchedFile, EditRefusal> apply_patch(const FilePatch& patch,
                                             std::optional<std::string_view> present,
                                             WorkBudget budget) {
  if (patch.operation == Operation::kCreate) {
    if (present) return refusal_of(Reason::kFile, "the file is there already; update it instead");
  } else if (!present) {
    return refusal_of(Reason::kFile,
                      fmt::format("there is no such file to {}", to_string(patch.operation)));
  }
  if (patch.operation == Operation::kDelete && patch.hunks.empty()) return PatchedFile{};
  if (patch.hunks.empty()) return PatchedFile{std::string(present.value_or("")), {}};
  TRY_ASSIGN(EditedText edited, apply_hunks(present.value_or(""), patch.hunks, budget));
  PatchedFile out{std::move(edited.content), std::move(edited.hunks)};
  if (patch.operation != Operation::kDelete) return out;
  if (!out.content->empty()) {
    return refusal_of(Reason::kFile, "the file has more lines than the patch deletes");
  }
  out.content.reset();
  return out;
}

}  // namespace filecall::edit
