// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// The conflicts of a merge, as an answer has them: `path`, `kind`, and `text` with marks around
/// the two sides and the base between them, within file.limits.
struct MergeConflicts {
  Json list = Json::array();
  std::size_t count = 0;     ///< All of them.
  std::size_t left_out = 0;  ///< Hidden ones, those beyond file.limits.results, odd names.
  bool is_cut = false;       ///< A text is missing or ends early.
};

/// Failure: an object is missing.
Result<MergeConflicts> describe_conflicts(const OpenRepository& repository, git_index* merged);

}  // namespace filecall::worker::git
