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
std::string value_cases() {
  std::string cases;
  for (const OptionSpec& option : all_options()) {
    if (!option.choices.empty()) {
      cases += fmt::format("    --{}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n",
                           option.name, option.choices);
    } else if (option.value == "DIR") {
      cases +=
          fmt::format("    --{}) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", option.name);
    } else if (option.value == "FILE") {
      cases +=
          fmt::format("    --{}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", option.name);
    } else if (!option.value.empty()) {
      cases += fmt::format("    --{}) COMPREPLY=(); return ;;\n", option.name);
    }
  }
  return cases;
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
      "  case $prev in\n" +
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
