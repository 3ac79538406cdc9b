// SPDX-License-Identifier: MIT
#pragma once

#include "worker/config/config.h"
#include "yaml/yaml_section.h"

namespace filecall::worker {

/// Reads the `kube:` mapping into `config.kube`.
void read_kube(YamlSection& section, Config& config);

}  // namespace filecall::worker
