// SPDX-License-Identifier: MIT
#pragma once

#include "worker/config/config.h"
#include "yaml/yaml_section.h"

namespace filecall::worker {

/// Reads the `file:` mapping into `config.file`.
void read_file_section(YamlSection& section, Config& config);

}  // namespace filecall::worker
