// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "client/cli/command_table.h"
#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

TEST(Completion, OffersEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh"}) {
    const std::string script = completion_script(shell);
    for (const CommandSpec& command : all_commands()) {
      EXPECT_NE(script.find("    " + std::string(command.name) + ") words='"), std::string::npos);
    }
    for (const OptionSpec& option : all_options()) {
      EXPECT_NE(script.find("--" + std::string(option.name)), std::string::npos) << option.name;
    }
  }
}

TEST(Completion, ZshScriptsSayWhatTheyComplete) {
  EXPECT_TRUE(completion_script("zsh").starts_with("#compdef filecall\n"));
  EXPECT_TRUE(completion_script("bash").starts_with("_filecall_words() {"));
}

}  // namespace
}  // namespace filecall::client
