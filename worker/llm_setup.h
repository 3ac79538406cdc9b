// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/config/config.h"
#include "worker/config_check.h"

namespace filecall::worker {

/// What a configuration leaves to the environment and to this machine: providers when none is
/// configured, and every provider's limits. Pure.
void complete_llm(Config& config, const std::map<std::string, std::string>& environment);

/// Prepares the process for what is configured: enough descriptors for all calls in flight, and no
/// core file when there are keys.
void prepare_process(const Config& config);

/// Asks every provider for its models, all at once, with short time-outs. Blocks for some seconds
/// at most. Failure: this process cannot ask.
Result<std::vector<ProviderCheck>> check_providers(
    const Config& config, const std::map<std::string, std::string>& environment);

}  // namespace filecall::worker
