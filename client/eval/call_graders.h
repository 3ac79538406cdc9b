// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/time.h"
#include "client/eval/grader.h"

namespace filecall::client {

/// "latency": the calls of the response took no longer than `max` in the worker, together. Without
/// a score where nobody measured one of them, or where it came from a cache.
std::unique_ptr<Grader> make_latency_grader(GraderSettings settings, Duration max);

/// "cost": the calls of the response cost no more than `max_usd`, together. Without a score where
/// nobody knows what one of them cost, or where it came from a cache.
std::unique_ptr<Grader> make_cost_grader(GraderSettings settings, double max_usd);

/// Whether grades of a grader may differ with the prices that are known when it grades.
bool depends_on_prices(const GraderSettings& settings);

}  // namespace filecall::client
