// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/edit_refusal.h"
#include "edit/hunk_finder.h"
#include "edit/patch.h"

namespace filecall::edit {

/// Where a hunk or an edit was applied, and how well it fitted there.
struct AppliedHunk {
  Grade grade = Grade::kExact;
  std::int64_t line = 0;  ///< The first line of the text before, from 1, that it was found at.
  std::string note;       ///< What was put right in it; empty mostly.
};

struct EditedText {
  std::string content;
  std::vector<AppliedHunk> hunks;  ///< In the order of the patch.
};

/// Applies hunks to a text: all of them or none. Each is looked for in the text as it was, whatever
/// the order of hunks. It is applied at its only place of the best grade, when no other place fits
/// it at any grade from kExact to kPunctuation, nor nearly fits where its line number says (nor,
/// when it has none, lacks it just one line). Between equal places its line number decides, when it
/// is exactly that of one, when those of all other hunks are right, and when no other of the places
/// begins less than four lines away (three, for three lines with context on both sides) or
/// overlaps. Else it is refused. Pure; any thread.
Result<EditedText, EditRefusal> apply_hunks(std::string_view text, std::span<const PatchHunk> hunks,
                                            WorkBudget budget = {});

/// Replaces texts: all or none. The old text of each must stand once in the text as it was, as
/// bytes; where it does not, it is looked for as lines, all of which must fit (kExact to
/// kPunctuation). Pure; any thread.
Result<EditedText, EditRefusal> apply_edits(std::string_view text, std::span<const TextEdit> edits,
                                            WorkBudget budget = {});

/// What a patch makes of one file.
struct PatchedFile {
  std::optional<std::string> content;  ///< nullopt: the file is deleted.
  std::vector<AppliedHunk> hunks;
};
/// `present` is the file's content, nullopt when there is no such file. A create of what is there,
/// and an update or delete of what is not, are refused; a delete whose lines are not all of the
/// file is, too. Pure.
Result<PatchedFile, EditRefusal> apply_patch(const FilePatch& patch,
                                             std::optional<std::string_view> present,
                                             WorkBudget budget = {});

}  // namespace filecall::edit
