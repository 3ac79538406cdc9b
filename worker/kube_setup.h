// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/config/config.h"
#include "worker/config_check.h"

namespace filecall::worker {

/// Fills in what the `kube:` section leaves to the machine: where discovery is kept, the guard of
/// plugins and which keys are kept from them (so after complete_llm()), the limits of each context,
/// and what tools in a sandbox must not read.
void complete_kube(Config& config, const std::map<std::string, std::string>& environment);

/// Asks the server of each context that may be used for its version. Runs its own loop; takes a few
/// seconds at most. Empty when there is no context. Failure: the kubeconfig cannot be read.
Result<std::vector<ContextCheck>> check_contexts(
    const Config& config, const std::map<std::string, std::string>& environment);

}  // namespace filecall::worker
