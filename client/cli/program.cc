// SPDX-License-Identifier: MIT
#include "client/cli/program.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/nearest.h"
#include "client/cli/exit_code.h"
#include "client/cli/help.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/store/sqlite.h"

namespace filecall::client {
namespace {

int unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : all_commands()) names.push_back(command.name);
  const std::string_view near = nearest_name(name, names);
  return report_error({ErrorCode::kInvalidArgument,
                       fmt::format("{}: no such command{}; 'filecall --help' lists them", name,
                                   near.empty() ? "" : fmt::format(", did you mean '{}'?", near))});
}

}  // namespace

int help_command(const Arguments& arguments) {
  if (arguments.words().empty()) {
    print(program_help());
    return kExitSuccess;
  }
  const CommandSpec* command = find_command(arguments.words()[0]);
  if (command == nullptr) return unknown_command(arguments.words()[0]);
  print(command_help(*command));
  return kExitSuccess;
}

int run_program(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_note(program_help());
    return kExitUsage;
  }
  const auto options_end = std::find(words.begin(), words.end(), "--");
  if (std::find(words.begin(), options_end, "--json") != options_end) set_json_errors();
  std::string name = words[0];
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version" || name == "-V") name = "version";
  const CommandSpec* command = find_command(name);
  if (command == nullptr) {
    if (name.starts_with('-')) {
      return report_error(
          {ErrorCode::kInvalidArgument,
           fmt::format("{}: options come after the command, e.g. filecall status {}", name, name)});
    }
    return unknown_command(name);
  }
  configure_sqlite();
  const auto arguments = Arguments::parse(*command, {words.begin() + 1, words.end()});
  if (!arguments) return report_error(arguments.error());
  int code = kExitSuccess;
  if (arguments->has("help")) {
    print(command_help(*command));
  } else {
    code = command->run(*arguments);
  }
  return flush_output() || code != kExitSuccess ? code : output_exit_code();
}

}  // namespace filecall::client
