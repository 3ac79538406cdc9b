// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/report/run_summary.h"
#include "ipc/json.h"

namespace filecall::client {

/// The run as one JSON object: what `run --json` prints and summary.json holds. Pure.
Json json_summary(const RunSummary& summary);

/// US$; null when not one call has a price.
Json cost_json(const Spend& spend);

/// {count, mean, min, p50, p90, p99, p99.9, max}
Json percentiles_json(const LatencyHistogram& values);

}  // namespace filecall::client
