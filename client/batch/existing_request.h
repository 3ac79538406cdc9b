// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/engine/orchestrator.h"
#include "spool/layout.h"

namespace filecall::client {

/// Empty when the submission may be dropped: no request file of its id exists, or one that says the
/// same (as JSON). Otherwise what is in the way, and what to do.
std::string conflict_with_existing(const spool::Layout& layout, const Submission& submission);

}  // namespace filecall::client
