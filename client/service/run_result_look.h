// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/service/ledger.h"
#include "spool/layout.h"

namespace filecall::client {

/// What a request is among the results of its agent's run. A run that ended on a budget may go on,
/// and then has a result for each of its ends.
struct RunResultLook {
  std::string first_id;        ///< Of the first result, where this is a later one; empty otherwise.
  bool is_superseded = false;  ///< A later result of the same run is there: this one is the past.
};

/// Asks the ledger alone where no result can have such an id. Blocking. Failures: the ledger's.
Result<RunResultLook> look_at_run_result(Ledger& ledger, const spool::Layout& layout,
                                         const RequestEntry& entry);

}  // namespace filecall::client
