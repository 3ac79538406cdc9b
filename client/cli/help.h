// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/cli/command_table.h"

namespace filecall::client {

/// The whole program's help, and one command's: usage, options, examples, exit codes. Pure.
std::string program_help();
std::string command_help(const CommandSpec& command);

}  // namespace filecall::client
