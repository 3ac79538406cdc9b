// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall {
namespace {

const std::vector<std::string_view> kNames = {"system.cancel", "system.describe", "system.echo",
                                              "tool.run"};

TEST(Nearest, FindsMisspeltNames) {
  EXPECT_THAT(nearest_names("system.ecko", kNames), testing::Contains("system.echo"));
  EXPECT_EQ(nearest_names("tool.runn", kNames).front(), "tool.run");
  EXPECT_EQ(nearest_names("echo", kNames).front(), "system.echo");
  EXPECT_EQ(nearest_names("shell.run", kNames).front(), "tool.run");
}

TEST(Nearest, FindsTyposAndBeginningsOfWords) {
  const std::vector<std::string_view> words = {"status", "start-worker", "run", "retry"};
  EXPECT_EQ(nearest_name("statsu", words), "status");
  EXPECT_EQ(nearest_name("start", words), "start-worker");
  EXPECT_EQ(nearest_name("rum", words), "run");
  EXPECT_EQ(nearest_name("st", words), "");  // Too little to begin a word with.
  EXPECT_EQ(nearest_name("zzzzzz", words), "");
}

TEST(Nearest, TakesWhatIsNotAsciiByItsBytes) {
  EXPECT_EQ(nearest_name("m\xc3\xbcller", {"maier", "mueller"}), "mueller");
}

TEST(Nearest, FindsNothingForAStranger) {
  EXPECT_TRUE(nearest_names("nonsense", kNames).empty());
  EXPECT_TRUE(nearest_names("", kNames).empty());
  EXPECT_TRUE(nearest_names(std::string(5000, 'x'), kNames).empty());
}

TEST(Nearest, ListsEverythingWhenNothingIsNear) {
  EXPECT_EQ(suggest("zzzzzz", {"a", "b"}), "; there is: a, b");
  EXPECT_EQ(suggest("tool.rum", kNames), "; did you mean tool.run?");
  EXPECT_EQ(suggest("x", {}), "");
}

}  // namespace
}  // namespace filecall
