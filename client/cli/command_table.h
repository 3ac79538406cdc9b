// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace filecall::client {

class Arguments;

/// One option, as parsing, help and completion need it.
struct OptionSpec {
  std::string_view name{};     ///< Without the dashes.
  std::string_view value{};    ///< What its value is called, e.g. "DURATION"; empty: a flag.
  std::string_view help{};     ///< One sentence; the default in it.
  std::string_view choices{};  ///< Space-separated values; empty: free.
  std::string_view command{};  ///< Means this in that subcommand only; empty: in all others.
  bool is_repeatable = false;  ///< Else two different values are an error.
};

/// One subcommand. The table of them is the only place that knows what the program offers.
struct CommandSpec {
  std::string_view name{};
  std::string_view arguments{};  ///< For the usage line, e.g. "BATCH..."; empty: none.
  std::string_view summary{};    ///< One line.
  std::string_view details{};    ///< Paragraphs for its own help; may be empty.
  std::string_view options{};    ///< Space-separated names out of all_options().
  std::string_view examples{};   ///< Lines, each indented by two spaces.
  int arguments_min = 0;
  int arguments_max = 0;          ///< -1: any number.
  std::string_view words{};       ///< Completions of its first argument; space-separated.
  std::string_view exit_codes{};  ///< The digits that can occur, e.g. "0 1 2 3 75 130".
  int (*run)(const Arguments&) = nullptr;
};

std::span<const OptionSpec> all_options();
std::span<const CommandSpec> all_commands();
/// Its parts, in the order in which help lists them: one file each.
std::span<const CommandSpec> request_commands();
std::span<const CommandSpec> thread_commands();
std::span<const CommandSpec> evaluation_commands();
std::span<const CommandSpec> agent_commands();
std::span<const CommandSpec> program_commands();
std::span<const CommandSpec> approval_commands();
/// nullptr: no such command, or no such option in the subcommand `command` (empty: in any).
const CommandSpec* find_command(std::string_view name);
const OptionSpec* find_option(std::string_view name, std::string_view command);

}  // namespace filecall::client
