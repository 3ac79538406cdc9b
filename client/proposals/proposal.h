// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Changes of files that wait for a decision, as file.propose answers them, and file.apply as
/// `undo` and `rest`.
struct Proposal {
  Json changes;        ///< They fit the schema of file.apply.
  std::string digest;  ///< As it was answered; empty: none was.
  /// Of the request, or of the call of a run, that proposes it; empty: it was named by a file.
  std::string id{};
  bool is_of_run = false;  ///< It lies in proposals/: a run may have asked a person about it.
  bool is_named_by_path = false;  ///< That was given, and not the id.

  /// Names what was done with it, 64 hex digits: of its digest (else its changes) and its id. Two
  /// that change the same in the same way are two, each with an end of its own.
  std::string key() const;
  bool has_conflicts() const;
  /// nullptr: it does not change that file.
  const Json* change_of(std::string_view path) const;
};

/// Reads the text of a proposal: what file.propose answered, a response with that, or an object
/// with `changes`. Failure: invalid_argument, begins with `where`: it is none, or its hunks show
/// something else than it makes. Pure.
Result<Proposal> read_proposal(std::string_view text, std::string_view where);
/// The same of what a response's `data` is.
Result<Proposal> proposal_of(const Json& data, std::string_view where);

/// What --hunks names, as `hunks` of file.apply: ids, paths, PATH:ID; several in one word between
/// commas. Failures: not_found; invalid_argument, an id that several files have. Pure.
Result<Json> chosen_hunks(const Proposal& proposal, const std::vector<std::string>& words);

/// "3 files, 5 hunks". Pure.
std::string size_text(const Json& changes);

}  // namespace filecall::client
