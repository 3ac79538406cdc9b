// SPDX-License-Identifier: MIT
#include "edit/proposal.h"

#include <gtest/gtest.h>

namespace filecall::edit {
namespace {

using Present = std::optional<std::string_view>;

WantedChange update_of(std::string content) { return {.path = "f", .new_content = content}; }
ProposedChange proposed(const WantedChange& wanted, Present present) {
  auto change = propose(wanted, present);
  EXPECT_TRUE(change) << (change ? "" : change.error().message);
  return change ? *std::move(change) : ProposedChange();
}

TEST(Proposal, ShowsWhatEachFormOfAChangeComesTo) {
  const std::string unified = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
  for (const WantedChange& wanted :
       {update_of("a\nc\n"), WantedChange{.path = "f", .edits = {{"b", "c"}}},
        WantedChange{.path = "f", .patch = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
        WantedChange{.path = "f",
        .patch = "*** Begin Patch\n*** Update File: f\n-b\n+c\n*** End Patch"}}) {
    const auto change = proposed(wanted, "a\nb\n");
    EXPECT_EQ(change.new_content, "a\nc\n");
    EXPECT_EQ(change.unified_diff, unified);
    EXPECT_EQ(change.hunks.size(), 1U);
    EXPECT_EQ(change.warning, "");
    EXPECT_FALSE(change.has_conflict);
  }
  const auto created =
      proposed({.path = "n", .operation = Operation::kCreate, .new_content = "x\n"}, std::nullopt);
  EXPECT_EQ(created.unified_diff, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n");
  const auto deleted = proposed({.path = "f", .operation = Operation::kDelete}, "x\n");
  EXPECT_EQ(deleted.new_content, std::nullopt);
  EXPECT_EQ(deleted.unified_diff, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
}

TEST(Proposal, SaysWhatItsMakerShouldKnow) {
  EXPECT_EQ(proposed(update_of("a\n"), "a\n").warning, "nothing changes");
  EXPECT_EQ(proposed(update_of("a\nc\n"), "a\r\nb\r\n").warning,
            "line ends, byte order mark and final newline are kept");
  EXPECT_EQ(proposed({.path = "f", .patch = "@@ -1,9 +1,9 @@\n a\n-b\n+c\n"}, "  a\n  b\n").warning,
            "patch line 1: the header counts 9 old and 9 new lines, the hunk has 2 and 2; hunk 1 "
            "fits line 1 by grade indentation");
  const std::string_view binary("\0\1", 2);
  const auto deleted = proposed({.path = "f", .operation = Operation::kDelete}, binary);
  EXPECT_EQ(deleted.warning, "binary: what is deleted is not shown");
  EXPECT_FALSE(deleted.has_conflict);
}

TEST(Proposal, WhatDoesNotFitTheFileIsAConflict) {
  const std::pair<WantedChange, Present> rows[] = {
      {{.path = "f", .edits = {{"q", "c"}}}, "a\n"},
      {update_of("x"), std::nullopt},
      {{.path = "f", .operation = Operation::kCreate, .new_content = "x"}, ""},
      {{.path = "f", .operation = Operation::kDelete}, std::nullopt},
      {update_of("x"), "\xFF"},
      {update_of("\xFF"), "x"},
  };
  for (const auto& [wanted, present] : rows) {
    const auto change = proposed(wanted, present);
    EXPECT_TRUE(change.has_conflict);
    EXPECT_NE(change.warning, "");
    EXPECT_EQ(change.new_content, std::nullopt);
    EXPECT_TRUE(change.hunks.empty() && change.unified_diff.empty());
  }
}

TEST(Proposal, AChangeThatContradictsItselfIsRefused) {
  const std::pair<WantedChange, std::string_view> rows[] = {
      {{.path = "f"}, "f: give one of new_content"},
      {{.path = "f", .new_content = "", .patch = "x"}, "f: give one of new_content"},
      {{.path = "f", .operation = Operation::kDelete, .new_content = ""}, "f: a delete has no"},
      {{.path = "f", .operation = Operation::kCreate, .edits = {{"", "x"}}}, "f: a new file has"},
      {{.path = "f", .patch = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"}, "f: the patch is of g"},
      {{.path = "f", .patch = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"},
       "f: the operation is update, that of the patch is create"},
      {{.path = "f", .patch = "hello"}, "patch line 1"},
      {{.path = "f", .patch = "diff --git a/f b/g\nrename from f\nrename to g\n"},
       "f: a patch cannot move the file"},
  };
  for (const auto& [wanted, message] : rows) {
    const auto change = propose(wanted, "a\n");
    ASSERT_FALSE(change);
    EXPECT_EQ(change.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(change.error().message.starts_with(message)) << change.error().message;
  }
}

TEST(Proposal, SomeHunksAreAcceptedAndTheRestIsAChangeOfTheResult) {
  std::string before;
  for (int i = 0; i < 40; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("\n5\n") + 1, 1, "five");
  after.replace(after.find("\n35\n") + 1, 2, "thirty-five");
  after.pop_back();  // The final newline: what is taken back and what is left are exact.
  const auto change = proposed({.path = "f", .new_content = after, .is_exact = true}, before);
  ASSERT_EQ(change.hunks.size(), 2U);
  const auto accepted = accept_hunks(change, before, std::vector{change.hunks[1].id});
  ASSERT_TRUE(accepted);
  EXPECT_NE(accepted->content.find("thirty-five"), std::string::npos);
  EXPECT_EQ(accepted->content.find("five\n6"), std::string::npos);
  ASSERT_TRUE(accepted->rest);
  const auto rest = proposed(*accepted->rest, accepted->content);
  EXPECT_EQ(rest.new_content, after);
  ASSERT_EQ(rest.hunks.size(), 1U);
  EXPECT_EQ(rest.hunks[0].id, change.hunks[0].id);
  EXPECT_EQ(proposed(accepted->undo, accepted->content).new_content, before);
  const auto all =
      accept_hunks(change, before, std::vector{change.hunks[0].id, change.hunks[1].id});
  EXPECT_EQ(all->content, after);
  EXPECT_FALSE(all->rest);
  EXPECT_EQ(accept_hunks(change, before, std::vector<std::string>{"no"}).error().code,
            ErrorCode::kNotFound);
}

TEST(Proposal, AnUndoTakesBackEachOperation) {
  const auto undone = [](const WantedChange& wanted, Present present) {
    const auto change = proposed(wanted, present);
    const Present after = change.new_content ? Present(*change.new_content) : std::nullopt;
    return proposed(undo_of(change, present), after).new_content;
  };
  EXPECT_EQ(undone(update_of("b"), "a\n"), "a\n");
  EXPECT_EQ(undone({.path = "f", .operation = Operation::kDelete}, "a"), "a");
  EXPECT_EQ(
      undone({.path = "f", .operation = Operation::kCreate, .new_content = "a"}, std::nullopt),
      std::nullopt);
  EXPECT_FALSE(
      accept_hunks(proposed({.path = "f", .operation = Operation::kDelete}, "a"), "a", {}));
}

}  // namespace
}  // namespace filecall::edit
