// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/service/ledger.h"
#include "spool/layout.h"

namespace filecall::client {

/// not_found when neither a run nor a request of the root has a batch of that name, with the names
/// that are near: else a misspelt name selects nothing, and nothing looks like "all is done".
/// Empty: no batch was asked for. Blocking; reads all requests when no run has the name.
Result<void> require_batch(Ledger& ledger, const spool::Layout& layout, const std::string& batch);

}  // namespace filecall::client
