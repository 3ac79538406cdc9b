// SPDX-License-Identifier: MIT
#include "client/cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/cli/options.h"

namespace filecall::client {
namespace {

TEST(CommandTable, NamesOnlyOptionsThatExistAndARunner) {
  for (const CommandSpec& command : all_commands()) {
    EXPECT_NE(command.run, nullptr) << command.name;
    for (const std::string_view option : split_words(command.options)) {
      EXPECT_NE(find_option(option, command.name), nullptr) << command.name << " --" << option;
    }
  }
}

TEST(CommandTable, EveryOptionIsUsedBySomeCommand) {
  for (const OptionSpec& option : all_options()) {
    bool is_used = false;
    for (const CommandSpec& command : all_commands()) {
      for (const std::string_view name : split_words(command.options)) {
        is_used |= find_option(name, command.name) == &option;
      }
    }
    EXPECT_TRUE(is_used) << option.name;
  }
}

TEST(Help, EveryCommandHasUsageExamplesAndExitCodes) {
  for (const CommandSpec& command : all_commands()) {
    const std::string help = command_help(command);
    EXPECT_TRUE(help.starts_with("Usage: filecall " + std::string(command.name))) << help;
    for (const char* part : {"\nOptions:\n", "\nExamples:\n", "\nExit codes:\n  0"}) {
      EXPECT_NE(help.find(part), std::string::npos) << command.name << ": " << part;
    }
    for (const std::string_view option : split_words(command.options)) {
      EXPECT_NE(help.find("--" + std::string(option)), std::string::npos) << option;
    }
  }
}

TEST(Help, FitsATerminal) {
  std::string all = program_help();
  for (const CommandSpec& command : all_commands()) all += command_help(command);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    EXPECT_LE(end - at, 100u) << all.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Help, ExamplesNameOnlyOptionsOfTheirCommand) {
  for (const CommandSpec& command : all_commands()) {
    for (std::string_view word : split_words(command.examples)) {
      word = word.substr(0, word.find('\n'));
      if (!word.starts_with("--")) continue;
      const auto options = split_words(command.options);
      EXPECT_NE(std::find(options.begin(), options.end(), word.substr(2)), options.end())
          << command.name << ": " << word;
    }
  }
}

}  // namespace
}  // namespace filecall::client
