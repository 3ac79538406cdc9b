// SPDX-License-Identifier: MIT
#pragma once

#include "worker/config/config.h"
#include "yaml/yaml_section.h"

namespace filecall::worker {

/// Reads the `tool:` mapping into `config.tool`, and its concurrency into `config.destinations`.
void read_tool(YamlSection& section, Config& config);

}  // namespace filecall::worker
