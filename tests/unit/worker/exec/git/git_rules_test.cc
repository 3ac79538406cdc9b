// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/git/commit_message.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/hidden_names.h"
#include "worker/exec/git/kept_settings.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/settings_reader.h"
#include "worker/exec/git/switch_check.h"
#include "worker/exec/git/worktree_notes.h"

namespace filecall::worker::git {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

/// What works with libgit2 without a repository.
class WithLibrary : public testing::Test {
 protected:
  void SetUp() override { prepare_git_library(); }
};
using KeptSettings = WithLibrary;
using CommitMessages = WithLibrary;

file::FileRules rules_of(std::vector<std::string> hidden) {
  file::FileConfig config;
  config.roots = {"/work"};
  config.hidden = std::move(hidden);
  auto rules = file::FileRules::compile(std::move(config));
  EXPECT_TRUE(rules.has_value());
  return *std::move(rules);
}

TEST_F(KeptSettings, RefuseEveryWayToTakeInOtherFiles) {
  for (const char* text : {"[include]\npath = x\n", "[core]\nbare = false\n[INCLUDE] path = x",
                           "[includeIf \"gitdir:/\"]\n\tpath = x\n", "[include.x]\npath = y\n",
                           "[core] a = b [include] path = x\n", "[ include]\npath = x\n"}) {
    EXPECT_FALSE(check_no_includes(text).has_value()) << text;
  }
  EXPECT_TRUE(check_no_includes("[core]\n\tbare = false\n[branch \"include\"]\n").has_value());
}

TEST_F(KeptSettings, NameNoProgramAndNoFile) {
  const auto settings = parse_settings(
      "[core]\n\tfsmonitor = /bin/x\n\teditor = y\n\texcludesFile = /e\n\tautocrlf = "
      "input\n\tbare\n"
      "[filter \"lfs\"]\n\tclean = c\n[user]\n\tname = \"A \\\"B\\\" #c\"\n\tsigningkey = k\n"
      "[diff \"d\"]\n\ttextconv = t\n[remote \"o\"]\n\turl = https://u:secret@h\n");
  ASSERT_TRUE(settings.has_value());
  const Settings kept = kept_settings(*settings);
  EXPECT_THAT(kept, ElementsAre(Pair("core.autocrlf", "input"), Pair("core.bare", "true"),
                                Pair("user.name", "A \"B\" #c")));
  const auto again = parse_settings(settings_text(kept));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, kept);
}

TEST_F(KeptSettings, RefuseFormsThatAreNotKnown) {
  EXPECT_TRUE(check_repository_form(
                  {{"core.repositoryformatversion", "1"}, {"extensions.objectformat", "SHA1"}})
                  .has_value());
  EXPECT_FALSE(check_repository_form({{"core.repositoryformatversion", "2"}}).has_value());
  EXPECT_FALSE(check_repository_form({{"extensions.objectformat", "sha256"}}).has_value());
  EXPECT_FALSE(check_repository_form({{"extensions.worktreeconfig", "true"}}).has_value());
  EXPECT_FALSE(parse_settings("[core\nx").has_value());
}

TEST(Revisions, NameCommitsAndSearchForNothing) {
  for (const char* text : {"HEAD", "main", "ai-agent/fix", "v1.0~2^1", "8f3c~", "@", "a@b"}) {
    EXPECT_TRUE(is_revision(text)) << text;
  }
  for (const char* text : {"", "-x", ":a", "HEAD:a", "a..b", "HEAD^{/x}", "HEAD@{1}", "a b", "x~1y",
                           "~1", "x~1000000", "a*", "x^{}", "a\n"}) {
    EXPECT_FALSE(is_revision(text)) << text;
  }
}

TEST_F(CommitMessages, EndWithTheirTrailers) {
  EXPECT_EQ(*commit_message("A \n\n\n B\n\n", Json()), "A\n\n B\n");
  EXPECT_EQ(*commit_message("A", {{"T", "1"}, {"S", {"2", "3"}}}), "A\n\nS: 2\nS: 3\nT: 1\n");
  EXPECT_EQ(*commit_message("A\n\nX: y", {{"T", "1"}}), "A\n\nX: y\nT: 1\n");
  EXPECT_EQ(*commit_message("# no comment", Json()), "# no comment\n");
  EXPECT_FALSE(commit_message(" \n", Json()).has_value());
  EXPECT_FALSE(commit_message(std::string("a\0b", 3), Json()).has_value());
  EXPECT_FALSE(commit_message("A", {{"T", "1\n2"}}).has_value());
  EXPECT_FALSE(commit_message("A", {{"T", " "}}).has_value());
}

TEST(HiddenNames, AreHiddenInEveryWorktree) {
  const file::FileRules rules = rules_of({".env", "./main/keys"});
  const HiddenNames names(rules, {{0, "/work", "main"}, {0, "/work", "trees/x"}});
  EXPECT_TRUE(names.hides("a/.env"));
  EXPECT_TRUE(names.hides("keys/k"));
  EXPECT_FALSE(names.hides("a/keys"));
  EXPECT_FALSE(names.hides_at("keys/k", {0, "/work", "trees/x"}));
  EXPECT_EQ(without_hidden_words(rules, "could not open '/work/a/.env' for reading: no"),
            "could not open '(hidden)' for reading: no");
}

TEST(Switches, MindFilesAndDirectoriesOfTheSameName) {
  EXPECT_THAT(paths_in_the_way({"a", "b/c", "d", "e/f/g", "x"}, {"a", "b", "d/e", "e/f", "xy"}),
              UnorderedElementsAre("a", "b/c", "d", "e/f/g"));
}

TEST(WorktreeNotes, HavePlainNames) {
  EXPECT_EQ(notes_name("fix-1.x"), "fix-1.x");
  EXPECT_EQ(notes_name("a b/ü"), "a-b---");
  EXPECT_EQ(notes_name("..."), "worktree");
  EXPECT_EQ(notes_name("-.x."), "x");
}

}  // namespace
}  // namespace filecall::worker::git
