// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/llm/script/script_line.h"

namespace filecall::worker::llm {

inline constexpr std::size_t kScriptBytesMax = 16 * 1024 * 1024;

/// Reads a script: JSON Lines, each an object of the schema `script_line`; empty lines and lines
/// that begin with "//" are passed over. Failure: "NAME:LINE: why", for people. Pure.
Result<std::vector<ScriptLine>, std::string> read_script(std::string_view text,
                                                         const std::string& name);

}  // namespace filecall::worker::llm
