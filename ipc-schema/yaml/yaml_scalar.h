// SPDX-License-Identifier: MIT
#pragma once

#include <yaml-cpp/yaml.h>

#include "ipc/json.h"

namespace filecall {

/// A YAML scalar as the JSON value that it looks like; a quoted scalar is always a string. Pure.
Json scalar_to_json(const YAML::Node& node);

}  // namespace filecall
