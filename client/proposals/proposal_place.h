// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/proposals/proposal.h"
#include "spool/layout.h"

namespace filecall::client {

/// Finds a proposal as people name it: a file, or an id, of proposals/{id}.json or of an answered
/// request of file.propose in the root. Failures: not_found, says where it was looked for; those of
/// read_proposal(). Blocks.
Result<Proposal> find_proposal(const spool::Layout& layout, const std::string& name);

/// The ids of proposals/{id}.json, in no order; none when it cannot be read. Blocks.
std::vector<std::string> proposals_in(const spool::Layout& layout);

}  // namespace filecall::client
