// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "client/core/row_selection.h"

namespace filecall::client {

/// --filter, --sample, --sample-seed and --limit. Failure: invalid_argument.
Result<RowSelection> row_selection(const Arguments& arguments);

}  // namespace filecall::client
