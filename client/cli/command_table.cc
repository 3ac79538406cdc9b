// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"

#include <vector>

namespace filecall::client {

std::span<const CommandSpec> all_commands() {
  static const std::vector<CommandSpec> kAll = [] {
    std::vector<CommandSpec> all;
    for (const auto part : {request_commands(), agent_commands(), thread_commands(),
                            evaluation_commands(), approval_commands(), program_commands()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

const CommandSpec* find_command(std::string_view name) {
  for (const CommandSpec& command : all_commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace filecall::client
