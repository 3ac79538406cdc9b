// SPDX-License-Identifier: MIT
#pragma once

#include "worker/config/config.h"
#include "yaml/yaml_section.h"

namespace filecall::worker {

/// Reads the `llm:` mapping into `config.llm`.
void read_llm(YamlSection& section, Config& config);

/// Gives every provider its limits in `config.destinations`, unless the file names them there.
void add_llm_destinations(Config& config);

}  // namespace filecall::worker
