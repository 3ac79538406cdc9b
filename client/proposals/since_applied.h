// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/proposals/proposal_record.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a file holds, beside what parts of a proposal made of it.
enum class SinceApplied {
  kMade,    ///< What the last part made.
  kBefore,  ///< What it held before the proposal: somebody has taken that back in another way.
  kOther,
};

/// The paths that parts changed, each once, in their order. Pure.
std::vector<std::string> made_paths(const std::vector<MadePart>& parts);

/// `change` is that of the proposal, `sha256` of the file as it is, in hex; nullopt: there is none.
/// A file that no part changed is kOther. Pure.
SinceApplied since_applied(const Json& change, const std::vector<MadePart>& parts,
                           const std::optional<std::string>& sha256);

}  // namespace filecall::client
