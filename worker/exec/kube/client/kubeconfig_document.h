// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// A kubeconfig file's text as JSON, read as kubectl reads YAML (a context named `y` is a truth
/// value, and refused later). An empty text is an empty mapping. Pure. Failure: invalid_argument
/// with the line.
Result<Json> read_kubeconfig_text(const std::string& yaml, const std::string& file);

}  // namespace filecall::worker::kube
