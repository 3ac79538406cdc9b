// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "client/eval/grader.h"
#include "yaml/yaml_section.h"

namespace filecall::client {

/// Reads `turn` of a grader: a number from 1, `all` or `last`. Complains about anything else.
void read_turn(YamlSection& section, int& turn);
/// Reads a grader of kind tool_called: `tool`, `arguments`, `min`, `max`.
std::unique_ptr<Grader> read_tool_called(YamlSection& section, GraderSettings settings);

}  // namespace filecall::client
