// SPDX-License-Identifier: MIT
#include "edit/proposal.h"

#include <fmt/format.h>

#include <utility>

#include "edit/hunk_choice.h"
#include "edit/patch_reader.h"
#include "edit/text_form.h"
#include "edit/unified_writer.h"

namespace filecall::edit {
namespace {

Unexpected<Error> wrong_change(const WantedChange& wanted, std::string_view rule) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", wanted.path, rule));
}

Result<void> check_form(const WantedChange& wanted) {
  const int forms = (wanted.new_content ? 1 : 0) + (wanted.edits.empty() ? 0 : 1) +
                    (wanted.patch.empty() ? 0 : 1);
  if (wanted.operation == Operation::kDelete) {
    return forms == 0 ? Result<void>() : wrong_change(wanted, "a delete has no content");
  }
  if (forms != 1) return wrong_change(wanted, "give one of new_content, edits and patch");
  if (wanted.operation == Operation::kCreate && !wanted.edits.empty()) {
    return wrong_change(wanted, "a new file has no text to replace; give new_content");
  }
  return {};
}

/// The patch of the change, which must be of its file and operation.
Result<FilePatch> patch_of_change(const WantedChange& wanted) {
  TRY_ASSIGN(std::vector<FilePatch> files, read_patch(wanted.patch));
  if (files.size() != 1) {
    return wrong_change(
        wanted, fmt::format("the patch has {} files; give a change for each", files.size()));
  }
  FilePatch& patch = files.front();
  if (!patch.path.empty() && patch.path != wanted.path) {
    return wrong_change(wanted, fmt::format("the patch is of {}", patch.path));
  }
  if (patch.operation != wanted.operation) {
    return wrong_change(wanted,
                        fmt::format("the operation is {}, that of the patch is {}",
                                    to_string(wanted.operation), to_string(patch.operation)));
  }
  if (!patch.new_path.empty()) {
    return wrong_change(wanted, "a patch cannot move the file; create the other and delete this");
  }
  return std::move(patch);
}

/// What the change makes of the file, into `out`; a refusal is a conflict.
Result<void, EditRefusal> make(const WantedChange& wanted, const std::optional<FilePatch>& patch,
                               std::optional<std::string_view> present, WorkBudget budget,
                               ProposedChange& out) {
  // Whether it is there is the same question for all forms.
  FilePatch bare;
  bare.operation = wanted.operation;
  TRY_ASSIGN(PatchedFile patched, apply_patch(patch ? *patch : bare, present, budget));
  out.new_content = std::move(patched.content);
  out.applied = std::move(patched.hunks);
  if (wanted.new_content) {
    out.new_content = wanted.is_exact ? *wanted.new_content
                                      : in_form_of(present.value_or(""), *wanted.new_content);
  }
  if (!wanted.edits.empty()) {
    TRY_ASSIGN(EditedText edited, apply_edits(*present, wanted.edits, budget));
    out.new_content = std::move(edited.content);
    out.applied = std::move(edited.hunks);
  }
  return {};
}

ProposedChange conflict(ProposedChange out, std::string why) {
  out.has_conflict = true;
  out.new_content.reset();
  out.applied.clear();
  out.warning = std::move(why);
  return out;
}

std::string warning_of(const ProposedChange& change, const WantedChange& wanted) {
  std::string warning;
  for (std::size_t i = 0; i < change.applied.size(); ++i) {
    const AppliedHunk& hunk = change.applied[i];
    const auto add = [&](std::string_view text) {
      warning += fmt::format("{}{}", warning.empty() ? "" : "; ", text);
    };
    if (!hunk.note.empty()) add(hunk.note);
    if (hunk.grade <= Grade::kLineEnd) continue;
    add(fmt::format("hunk {} fits line {} by grade {}", i + 1, hunk.line, to_string(hunk.grade)));
  }
  const bool is_other_form =
      wanted.new_content && change.new_content && *wanted.new_content != *change.new_content;
  if (is_other_form) warning += "line ends, byte order mark and final newline are kept";
  if (change.operation == Operation::kUpdate && change.hunks.empty()) {
    warning += "nothing changes";
  }
  return warning;
}

}  // namespace

Result<ProposedChange> propose(const WantedChange& wanted, std::optional<std::string_view> present,
                               WorkBudget budget) {
  TRY(check_form(wanted));
  std::optional<FilePatch> patch;
  if (!wanted.patch.empty()) {
    TRY_ASSIGN(patch, patch_of_change(wanted));
  }
  ProposedChange out;
  out.path = wanted.path;
  out.operation = wanted.operation;
  const auto made = make(wanted, patch, present, budget, out);
  if (!made) return conflict(std::move(out), made.error().message());
  const auto fault = find_text_fault(present.value_or(""));
  if (fault && out.operation == Operation::kDelete) {
    out.warning = fmt::format("{}: what is deleted is not shown", to_string(fault->kind));
    return out;
  }
  auto hunks = diff_texts(present.value_or(""), out.new_content.value_or(""));
  if (!hunks) return conflict(std::move(out), std::move(hunks).error().message);
  out.hunks = *std::move(hunks);
  FilePatch printed;
  printed.operation = out.operation;
  printed.path = out.path;
  for (const DiffHunk& hunk : out.hunks) printed.hunks.push_back(hunk.hunk);
  const bool is_shown = !printed.hunks.empty() || out.operation != Operation::kUpdate;
  if (is_shown) out.unified_diff = print_unified_diff({&printed, 1});
  out.warning = warning_of(out, wanted);
  return out;
}

Result<AcceptedHunks> accept_hunks(const ProposedChange& proposed, std::string_view present,
                                   std::span<const std::string> ids) {
  if (proposed.has_conflict || proposed.operation != Operation::kUpdate) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: hunks are chosen of an update without a conflict; this is {}",
                            proposed.path,
                            proposed.has_conflict ? "a conflict" : to_string(proposed.operation)));
  }
  TRY_ASSIGN(ChosenHunks chosen, apply_chosen(present, proposed.new_content.value_or(""), ids));
  AcceptedHunks out;
  out.content = std::move(chosen.content);
  out.undo = undo_of(proposed, present);
  if (!chosen.rest.empty()) {
    out.rest.emplace();
    out.rest->path = proposed.path;
    out.rest->new_content = proposed.new_content;
    out.rest->is_exact = true;
  }
  return out;
}

WantedChange undo_of(const ProposedChange& proposed, std::optional<std::string_view> present) {
  WantedChange undo;
  undo.path = proposed.path;
  if (proposed.operation == Operation::kCreate) {
    undo.operation = Operation::kDelete;
    return undo;
  }
  if (proposed.operation == Operation::kDelete) undo.operation = Operation::kCreate;
  undo.new_content = std::string(present.value_or(""));
  undo.is_exact = true;
  return undo;
}

}  // namespace filecall::edit
