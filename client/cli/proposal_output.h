// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/cli/options.h"
#include "client/proposals/change_view.h"
#include "client/proposals/proposal.h"
#include "client/proposals/proposal_record.h"
#include "ipc/json.h"

namespace filecall::client {

/// A file that both a proposal and somebody else changed.
struct MergedFile {
  std::string path;
  std::string reason;  ///< As file.apply says it; "changed" also where only the files were read.
  std::string merged;  ///< With marks; empty: there is none, and `problem` says why.
  std::size_t conflicts = 0;
  std::string problem;
};

/// What was done with a proposal, in a word: "waiting", "applied", "partly applied", "undone".
std::string_view state_of(const ProposalRecord& record);
/// What is left of it.
const Proposal& left_of(const Proposal& proposal, const ProposalRecord& record);

/// Prints changes for people, with colour on a terminal.
void print_changes(const Proposal& proposal, std::string_view state, const ViewOptions& view);
void print_merges(const std::vector<MergedFile>& files, bool has_colour);
Json merges_json(const std::vector<MergedFile>& files);
/// Takes back all that was applied of a proposal, and prints it: `filecall proposal undo`. The exit
/// code.
Result<int> undo_proposal(const Arguments& arguments, Proposal proposal);
/// "update src/a.txt (2 hunks)" for each file that file.apply answers.
void print_applied(const Json& applied, std::string_view what);

}  // namespace filecall::client
