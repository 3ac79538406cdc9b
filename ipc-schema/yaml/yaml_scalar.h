// SPDX-License-Identifier: MIT
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall {

/// A YAML scalar as the JSON value that it looks like; a quoted scalar is always a string. Pure.
Json scalar_to_json(const YAML::Node& node);

/// What a parser has thrown, with its place; where quotes are most often what is missing, it says
/// so: invalid_argument. Pure.
Error yaml_syntax_error(const std::string& file_name, const YAML::Exception& thrown);

}  // namespace filecall
