// SPDX-License-Identifier: MIT
#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(ShellWord, IsReadBackByAShell) {
  EXPECT_EQ(shell_word("openai/gpt-4.1"), "openai/gpt-4.1");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("; rm -r x"), "'; rm -r x'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(id)\n"), "'$(id)\n'");
}

}  // namespace
}  // namespace filecall
