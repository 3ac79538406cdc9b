// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "worker/config/config.h"

namespace filecall::worker {

/// Fills in what the `kube:` section leaves to the machine: where discovery is kept, the guard of
/// plugins and which keys are kept from them (so after complete_llm()), the limits of each context,
/// and what tools in a sandbox must not read.
void complete_kube(Config& config, const std::map<std::string, std::string>& environment);

/// One line for each context that may be used: its server, and whether that answers. Runs its own
/// loop; takes a few seconds at most. Empty when there is no context.
std::string check_contexts(const Config& config,
                           const std::map<std::string, std::string>& environment);

}  // namespace filecall::worker
