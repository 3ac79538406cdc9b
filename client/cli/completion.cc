// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

std::string command_names() {
  std::string names;
  for (const CommandSpec& command : all_commands()) names += fmt::format("{} ", command.name);
  return names;
}

/// What follows an option: its choices, a folder, or a file.
std::string value_words(const OptionSpec& option) {
  if (!option.choices.empty()) return fmt::format("$(compgen -W '{}' -- \"$cur\")", option.choices);
  if (option.value == "DIR") return "$(compgen -d -- \"$cur\")";
  return option.value.starts_with("FILE") ? "$(compgen -f -- \"$cur\")" : "";
}

/// Cases of "COMMAND:--OPTION"; what is meant in one command only comes before what is meant in
/// all.
std::string value_cases() {
  std::string one;
  std::string all;
  for (const OptionSpec& option : all_options()) {
    if (option.value.empty()) continue;
    (option.command.empty() ? all : one) += fmt::format(
        "    {}:--{}) COMPREPLY=({}); return ;;\n", option.command.empty() ? "*" : option.command,
        option.name, value_words(option));
  }
  return one + all;
}

std::string command_cases() {
  std::string cases;
  for (const CommandSpec& command : all_commands()) {
    std::string words(command.words);
    for (const std::string_view option : split_words(command.options)) {
      words += fmt::format(" --{}", option);
    }
    cases += fmt::format("    {}) words='{} --help' ;;\n", command.name, words);
  }
  return cases;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  std::string script = shell == "zsh" ? "#compdef filecall\n"
                                        "autoload -Uz bashcompinit && bashcompinit\n"
                                      : "";
  script +=
      "_filecall() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
      "  if [[ $COMP_CWORD == 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      command_names() +
      "--help --version' -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]}:$prev in\n" +
      value_cases() +
      "  esac\n"
      "  case ${COMP_WORDS[1]} in\n" +
      command_cases() +
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  [[ $cur == -* || ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "}\n"
      "complete -F _filecall filecall\n";
  return script;
}

int completion_command(const Arguments& arguments) {
  const std::string& shell = arguments.words()[0];
  if (shell != "bash" && shell != "zsh") {
    print_error(fmt::format("completion: '{}' is neither bash nor zsh", shell));
    return kExitUsage;
  }
  print(completion_script(shell));
  return kExitSuccess;
}

}  // namespace filecall::client
