// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "client/proposals/proposal_record.h"

namespace filecall::client {

/// One set of changes that takes all parts back, the last one first, so that they are taken back
/// together or not at all. A file that several parts changed is led from what the last one made to
/// what was there before the first. Failure: failed_precondition, somebody changed such a file
/// between two parts. Pure.
Result<Proposal> combined_undo(const std::vector<MadePart>& parts);

}  // namespace filecall::client
