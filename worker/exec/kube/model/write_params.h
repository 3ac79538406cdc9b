// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"
#include "worker/exec/kube/model/write_plan.h"

namespace filecall::worker::kube {

/// How `strategy` of the params is called; kApply when absent.
WriteStrategy strategy_of(const Json& params);

/// Why the params do not fit their strategy: a patch is given for an apply, values for a patch, ...
/// They would be ignored. Empty: they fit.
std::string misfit_of(const Json& params, WriteStrategy strategy);

/// Warns where an apply takes fields away that it does not name: the paths, the first ones in
/// words. `diff`: what diff_objects() found; empty when nothing is taken away.
std::string removal_warning(const Json& diff);

}  // namespace filecall::worker::kube
