// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/durability.h"
#include "spool/layout.h"

namespace filecall::client {

/// The request of a run's result lies there with the labels of its task as they were. It gets the
/// metadata of `request`, which is its text as it would be now: graders read what was corrected
/// since. All else in it stays, for it has its answer. Blocking.
Result<void> correct_result_labels(const spool::Layout& layout, const std::string& id,
                                   std::string_view request, Durability durability);

}  // namespace filecall::client
