// SPDX-License-Identifier: MIT
#include "worker/exec/file/ignore_rules.h"

#include <gtest/gtest.h>

namespace filecall::worker::file {
namespace {

std::string said(const IgnoreRules& rules, std::string_view path, bool is_directory = false) {
  const auto decided = rules.decide(path, is_directory);
  return !decided ? "nothing" : *decided ? "ignored" : "kept";
}

TEST(IgnoreRules, TheLastRuleThatFitsDecides) {
  const IgnoreRules rules("*.log\n!keep.log\nkeep.log.d\n");
  EXPECT_EQ(said(rules, "a.log"), "ignored");
  EXPECT_EQ(said(rules, "x/keep.log"), "kept");
  EXPECT_EQ(said(rules, "a.txt"), "nothing");
}

TEST(IgnoreRules, ASlashAtTheEndIsForDirectories) {
  const IgnoreRules rules("build/\n/out/\ndoc/api/\n");
  EXPECT_EQ(said(rules, "x/build", true), "ignored");
  EXPECT_EQ(said(rules, "build"), "nothing");
  EXPECT_EQ(said(rules, "out", true), "ignored");
  EXPECT_EQ(said(rules, "x/out", true), "nothing");
  EXPECT_EQ(said(rules, "doc/api", true), "ignored");
  EXPECT_EQ(said(rules, "x/doc/api", true), "nothing");
}

TEST(IgnoreRules, ReadsLinesAsGitDoes) {
  const IgnoreRules rules("\xEF\xBB\xBF# a note\r\n\\#x\r\n\r\n  y  \nz\\ \n[broken\n!\n/\n");
  EXPECT_EQ(said(rules, "#x"), "ignored");
  EXPECT_EQ(said(rules, "  y"), "ignored");
  EXPECT_EQ(said(rules, "z "), "ignored");
  EXPECT_EQ(said(rules, "# a note"), "nothing");
  EXPECT_EQ(said(rules, "[broken"), "nothing");
}

}  // namespace
}  // namespace filecall::worker::file
