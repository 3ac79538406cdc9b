// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::worker::file {

/// What is made of one change of a proposal.
struct ChosenPart {
  bool is_whole = false;
  std::vector<std::string> hunks;  ///< Ids, when it is not made as a whole.

  bool is_empty() const { return !is_whole && hunks.empty(); }
};

/// What `hunks` of file.apply names of `changes`, for each of them in their order. `hunks` has ids,
/// and {"path", "id"}; without "id" the change of that path as a whole. Null: all. Failures:
/// not_found (no change has it), invalid_argument (several have it), failed_precondition (a part of
/// a create or a delete). Pure.
Result<std::vector<ChosenPart>, Failure> choose_parts(const Json& changes, const Json& hunks);

}  // namespace filecall::worker::file
