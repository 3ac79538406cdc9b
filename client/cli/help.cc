// SPDX-License-Identifier: MIT
#include "client/cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/help_text.h"
#include "client/cli/options.h"

namespace filecall::client {
namespace {

std::string option_rows(const CommandSpec& command) {
  std::vector<HelpRow> rows;
  for (const std::string_view name : split_words(command.options)) {
    const OptionSpec* option = find_option(name, command.name);
    rows.push_back({fmt::format("--{}{}{}", name, option->value.empty() ? "" : " ", option->value),
                    option->help});
  }
  rows.push_back({"--help", "Print this help."});
  return help_rows(rows);
}

struct ExitRow {
  std::string_view code;
  std::string_view meaning;
};
constexpr ExitRow kExitRows[] = {
    {"0", "all succeeded"},
    {"1", "some requests were given up, the response is an error, or a part was not imported"},
    {"2", "wrong usage or bad input"},
    {"3", "no worker runs"},
    {"4",
     "a threshold is missed or requests it asks about have not ended, or nothing could be "
     "graded"},
    {"5", "a limit of the run was reached; state is kept, a higher limit continues"},
    {"6", "a person must decide: a run waits, or files are others than a proposal was made for"},
    {"74", "the disk is full, or another resource is used up"},
    {"75", "busy: another process holds the lock, try again later"},
    {"130", "interrupted; state is kept, the same command continues"},
};

/// All codes, or those that can occur in one command.
std::string exit_rows(std::string_view codes = {}) {
  const auto wanted = split_words(codes);
  std::vector<HelpRow> rows;
  for (const ExitRow& row : kExitRows) {
    if (codes.empty() || std::find(wanted.begin(), wanted.end(), row.code) != wanted.end()) {
      rows.push_back({fmt::format("{:<3}", row.code), row.meaning});
    }
  }
  return help_rows(rows);
}

std::string usage_line(const CommandSpec& command) {
  return fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ",
                     command.arguments);
}

std::string command_rows() {
  std::vector<HelpRow> rows;
  for (const CommandSpec& command : all_commands()) {
    rows.push_back({usage_line(command), command.summary});
  }
  return help_rows(rows);
}

std::string file_rows() {
  const HelpRow rows[] = {
      {"requests/ID.json", "What to do. Only filecall gc deletes it, and edit changes it."},
      {"responses/ID.json", "The latest outcome, from the worker."},
      {"failed/ID.json", "The final error of a request that was given up."},
      {"eval/grades.jsonl", "Grades, from filecall eval."},
      {"runs/ID.json", "What a run asked."},
      {"events/ID.jsonl", "What a request streams while it executes."},
      {"worker/", "The worker's lock, status.json, launch.json and log."},
      {"client/", "state.db (SQLite: what was tried, and when), locks and reports."},
  };
  return help_rows(rows);
}

}  // namespace

std::string program_help() {
  std::string out =
      "Usage: filecall COMMAND [OPTION...] [ARGUMENT...]\n"
      "Drop JSON requests into a directory, get JSON responses: retries, resumes and reports.\n"
      "\nCommands:\n" +
      command_rows() +
      "\nThe root directory is --root, else $FILECALL_ROOT, else /tmp/copilot-evaluation.\n"
      "'filecall COMMAND --help' (or 'filecall help COMMAND') explains a command.\n"
      "\nExamples:\n"
      "  filecall call system.echo --params '{\"hello\": \"world\"}'\n"
      "  filecall run batch.jsonl --report report\n"
      "  filecall status\n"
      "\nFiles in the root directory:\n" +
      file_rows() + "\nExit codes:\n" + exit_rows();
  return out;
}

std::string command_help(const CommandSpec& command) {
  std::string out = fmt::format("Usage: filecall {} [OPTION...]\n", usage_line(command));
  out += wrapped_text(command.summary, 0);
  if (!command.details.empty()) out += "\n" + std::string(command.details) + "\n";
  out += "\nOptions:\n" + option_rows(command);
  out += "\nExamples:\n" + std::string(command.examples) + "\n";
  out += "\nExit codes:\n" + exit_rows(command.exit_codes);
  return out;
}

}  // namespace filecall::client
