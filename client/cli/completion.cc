// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/cli/completion_words.h"
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

/// What `filecall completion KIND` lists, of the root that the line names.
std::string asked_words(std::string_view kind) {
  return fmt::format("$(_filecall_words {})", kind);
}

/// What follows an option: its choices, a folder, or a file.
std::string value_words(const OptionSpec& option) {
  if (!option.choices.empty()) return fmt::format("$(compgen -W '{}' -- \"$cur\")", option.choices);
  if (option.name == "batch") return asked_words("batches");
  if (option.name == "run") return asked_words("runs");
  if (option.value == "DIR") return "$(compgen -d -- \"$cur\")";
  return option.value.starts_with("FILE") ? "$(compgen -f -- \"$cur\")" : "";
}

/// The kind of words that the arguments of a command are; empty: its own words, or files.
std::string_view argument_kind(std::string_view command) {
  constexpr std::pair<std::string_view, std::string_view> kArguments[] = {
      {"show", "ids"},          {"follow", "ids"},        {"retry", "ids"},
      {"edit", "ids"},          {"cancel", "ids"},        {"pause", "pause"},
      {"resume", "paused"},     {"runs", "runs"},         {"schema", "schemas"},
      {"approve", "approvals"}, {"deny", "approvals"},    {"approvals", "approvals"},
      {"thread", "threads"},    {"proposal", "proposals"}};
  for (const auto& [name, kind] : kArguments) {
    if (name == command) return kind;
  }
  return {};
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
    const std::string_view kind = argument_kind(command.name);
    cases += fmt::format("    {}) words='{} --help'{} ;;\n", command.name, words,
                         kind.empty() ? "" : fmt::format("; kind={}", kind));
  }
  return cases;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  std::string script = shell == "zsh" ? "#compdef filecall\n"
                                        "autoload -Uz bashcompinit && bashcompinit\n"
                                      : "";
  script +=
      "_filecall_words() {\n"
      "  local i root=()\n"
      "  for ((i = 1; i < COMP_CWORD - 1; i++)); do\n"
      "    [[ ${COMP_WORDS[i]} == --root ]] && root=(--root \"${COMP_WORDS[i+1]}\")\n"
      "  done\n"
      "  filecall completion \"${root[@]}\" \"$1\" \"$cur\" 2>/dev/null\n"
      "}\n"
      "_filecall() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words='' kind=''\n"
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
      "  [[ -n $kind && $cur != -* ]] && COMPREPLY+=($(_filecall_words $kind))\n"
      "  [[ $kind == proposals && $cur != -* ]] && COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
      "  [[ -n $kind ]] && return\n"
      "  [[ $cur == -* || ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "}\n"
      "complete -F _filecall filecall\n";
  return script;
}

int completion_command(const Arguments& arguments) {
  const std::string& shell = arguments.words()[0];
  if (is_word_kind(shell)) {
    const std::string prefix = arguments.words().size() > 1 ? arguments.words()[1] : std::string();
    // A root that is not there has no words.
    const auto words = completion_words(shell, prefix, arguments);
    for (const std::string& word : words ? *words : std::vector<std::string>()) print(word + "\n");
    return kExitSuccess;
  }
  if (arguments.words().size() > 1) {
    return report_error(
        {ErrorCode::kInvalidArgument, fmt::format("completion: {} takes no prefix; leave '{}' out",
                                                  shell, arguments.words()[1])});
  }
  if (shell != "bash" && shell != "zsh") {
    return report_error({ErrorCode::kInvalidArgument,
                         fmt::format("completion: '{}' is neither bash nor zsh", shell)});
  }
  print(completion_script(shell));
  return kExitSuccess;
}

}  // namespace filecall::client
