// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "worker/config/config.h"

namespace filecall::worker {

/// What a configuration leaves to the environment and to this machine: providers when none is
/// configured, and every provider's limits. Pure.
void complete_llm(Config& config, const std::map<std::string, std::string>& environment);

/// Prepares the process for what is configured: enough descriptors for all calls in flight, and no
/// core file when there are keys.
void prepare_process(const Config& config, const std::map<std::string, std::string>& environment);

/// Asks every provider for its models, all at once, with short time-outs. One line each, with its
/// name, address, where its key comes from, and what came of it. Blocks for some seconds at most.
std::string check_providers(const Config& config,
                            const std::map<std::string, std::string>& environment);

}  // namespace filecall::worker
