// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "client/batch/batch.h"
#include "client/cli/options.h"
#include "spool/layout.h"

namespace filecall::client {

/// Opens what `run` reads, by its arguments and its options about rows, templates and models.
/// Failure: invalid_argument, the files'.
/// `run_id`: ends all ids, after a "+"; empty: nothing does.
Result<std::unique_ptr<Batch>> open_run_inputs(const Arguments& arguments,
                                               const spool::Layout& layout,
                                               const std::string& run_id);

}  // namespace filecall::client
