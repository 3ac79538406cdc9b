// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/file_edit.h"
#include "edit/text_diff.h"

namespace filecall::edit {

/// A change of one file that is asked for. A create or an update has one of `new_content`,
/// `edits` (not for a create) and `patch`; a delete has none.
struct WantedChange {
  std::string path;
  Operation operation = Operation::kUpdate;
  std::optional<std::string> new_content;
  /// The content is taken as it is; else that of an update takes the form of the file's
  /// (in_form_of).
  bool is_exact = false;
  std::vector<TextEdit> edits;
  /// A unified diff or a `*** Begin Patch` patch of this file alone; empty: none.
  std::string patch;
};

/// What a change comes to, before anything is written.
struct ProposedChange {
  std::string path;
  Operation operation = Operation::kUpdate;
  /// The file's whole content afterwards; nullopt when it is deleted, or there is a conflict.
  std::optional<std::string> new_content;
  std::vector<DiffHunk> hunks;  ///< Makes `new_content` of the present content; may be chosen from.
  std::string unified_diff;     ///< Of `hunks`, as git prints it; empty when nothing changes.
  /// Where the hunks of a patch, or the edits, were found. Not of whole content.
  std::vector<AppliedHunk> applied;
  bool has_conflict = false;  ///< It cannot be made as the file is now.
  std::string warning;  ///< Why there is a conflict, or what its maker should know; else empty.
};

/// Works out a change of a file with this content; nullopt: there is no such file. A change that is
/// not as WantedChange says is invalid_argument; one that does not fit the file has a conflict. A
/// file that is no text can be deleted, without hunks and difference. Pure; any thread.
Result<ProposedChange> propose(const WantedChange& wanted, std::optional<std::string_view> present,
                               WorkBudget budget = {});

/// Some hunks of a proposed update, made: the content, what takes it back, and the change that is
/// left, which is none when all were chosen.
struct AcceptedHunks {
  std::string content;
  WantedChange undo;
  std::optional<WantedChange> rest;
};
/// `present` is the content that the change was proposed for. An id that it does not have is
/// not_found. A proposal with a conflict, and any but an update, is failed_precondition: they are
/// made as a whole or not at all. Pure; any thread.
Result<AcceptedHunks> accept_hunks(const ProposedChange& proposed, std::string_view present,
                                   std::span<const std::string> ids);

/// What takes back a change that was made of this content. Pure.
WantedChange undo_of(const ProposedChange& proposed, std::optional<std::string_view> present);

}  // namespace filecall::edit
