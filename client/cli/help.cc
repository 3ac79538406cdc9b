// SPDX-License-Identifier: MIT
#include "client/cli/help.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/cli/options.h"

namespace filecall::client {
namespace {

constexpr std::size_t kColumns = 96;

/// `text` broken at spaces, continuation lines indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const std::string_view word : split_words(text)) {
    if (column > indent && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string option_rows(const CommandSpec& command) {
  std::size_t width = 0;
  std::vector<std::pair<std::string, std::string_view>> rows;
  for (const std::string_view name : split_words(command.options)) {
    const OptionSpec* option = find_option(name, command.name);
    std::string head =
        fmt::format("  --{}{}{}", name, option->value.empty() ? "" : " ", option->value);
    width = std::max(width, head.size());
    rows.emplace_back(std::move(head), option->help);
  }
  rows.emplace_back("  --help", "Print this help.");
  std::string out;
  for (const auto& [head, help] : rows) {
    out += fmt::format("{:<{}}", head, width + 2) + wrapped(help, width + 2);
  }
  return out;
}

struct ExitRow {
  std::string_view code;
  std::string_view meaning;
};
constexpr ExitRow kExitRows[] = {
    {"0", "all succeeded"},
    {"1", "some requests were given up, or the response is an error"},
    {"2", "wrong usage or bad input"},
    {"3", "no worker runs"},
    {"4", "a threshold is missed, or nothing could be graded"},
    {"5", "a limit of the run was reached; state is kept, a higher limit continues"},
    {"74", "the disk is full, or another resource is used up"},
    {"75", "busy: another process holds the lock, try again later"},
    {"130", "interrupted; state is kept, the same command continues"},
};

std::string exit_rows(std::string_view codes) {
  const auto wanted = split_words(codes);
  std::string out;
  for (const ExitRow& row : kExitRows) {
    if (std::find(wanted.begin(), wanted.end(), row.code) == wanted.end()) continue;
    out += fmt::format("  {:<4} {}\n", row.code, row.meaning);
  }
  return out;
}

std::string usage_line(const CommandSpec& command) {
  return fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ",
                     command.arguments);
}

}  // namespace

std::string program_help() {
  std::string out =
      "Usage: filecall COMMAND [OPTION...] [ARGUMENT...]\n"
      "Drop JSON requests into a directory, get JSON responses: retries, resumes and reports.\n"
      "\nCommands:\n";
  std::size_t width = 0;
  for (const CommandSpec& command : all_commands()) {
    width = std::max(width, usage_line(command).size());
  }
  for (const CommandSpec& command : all_commands()) {
    out += fmt::format("  {:<{}}  {}\n", usage_line(command), width, command.summary);
  }
  out +=
      "\nThe root directory is --root, else $FILECALL_ROOT, else /tmp/copilot-evaluation.\n"
      "\nExamples:\n"
      "  filecall call system.echo --params '{\"hello\": \"world\"}'\n"
      "  filecall run batch.jsonl --report report\n"
      "  filecall status\n"
      "\n'filecall COMMAND --help' (or 'filecall help COMMAND') explains a command.\n";
  return out;
}

std::string command_help(const CommandSpec& command) {
  std::string out = fmt::format("Usage: filecall {} [OPTION...]\n", usage_line(command));
  out += wrapped(command.summary, 0);
  if (!command.details.empty()) out += "\n" + std::string(command.details) + "\n";
  out += "\nOptions:\n" + option_rows(command);
  out += "\nExamples:\n" + std::string(command.examples) + "\n";
  out += "\nExit codes:\n" + exit_rows(command.exit_codes);
  return out;
}

}  // namespace filecall::client
