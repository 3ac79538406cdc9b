// SPDX-License-Identifier: MIT
#include "edit/text_diff.h"

#include <gtest/gtest.h>

#include <set>

#include "edit/hunk_choice.h"
#include "edit/text_merge.h"

namespace filecall::edit {
namespace {

std::string numbered(int count, const std::set<int>& changed) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (changed.contains(i) ? "x\n" : std::to_string(i) + "\n");
  return out;
}
std::vector<std::string> ids_of(const std::vector<DiffHunk>& hunks) {
  std::vector<std::string> ids;
  for (const DiffHunk& hunk : hunks) ids.push_back(hunk.id);
  return ids;
}

TEST(TextDiff, HasAHunkForEachPlaceWithAnIdOfItsOwn) {
  const auto hunks = *diff_texts(numbered(60, {}), numbered(60, {5, 30, 50}));
  ASSERT_EQ(hunks.size(), 3U);
  EXPECT_EQ(hunks[1].hunk.place, (StatedPlace{28, 28}));
  EXPECT_EQ(hunks[1].hunk.lines.size(), 8U);
  const auto ids = ids_of(hunks);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 3U);
  EXPECT_EQ(ids, ids_of(*diff_texts(numbered(60, {}), numbered(60, {5, 30, 50}))));
}

TEST(TextDiff, EqualHunksAreToldApartByTheirOrder) {
  const std::string block = "1\n2\n3\n4\n5\n6\n7\n8\n";
  const std::string changed = "1\n2\n3\nx\n5\n6\n7\n8\n";
  const auto hunks = *diff_texts(block + block, changed + changed);
  ASSERT_EQ(hunks.size(), 2U);
  EXPECT_EQ(hunks[1].id, hunks[0].id + "-2");
}

TEST(TextDiff, WhatIsNoTextIsRefused) {
  EXPECT_FALSE(diff_texts("\xFF", ""));
  EXPECT_FALSE(diff_texts("", std::string_view("\0", 1)));
  EXPECT_TRUE(diff_texts("same\n", "same\n")->empty());
}

TEST(HunkChoice, TheRestKeepsItsIdsAndMakesTheWhole) {
  const std::string before = numbered(60, {});
  const std::string after = numbered(60, {5, 30, 50});
  const auto ids = ids_of(*diff_texts(before, after));
  const auto chosen = apply_chosen(before, after, std::vector{ids[1]});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->content, numbered(60, {30}));
  EXPECT_EQ(ids_of(chosen->rest), (std::vector{ids[0], ids[2]}));
  const auto whole = apply_chosen(chosen->content, after, ids_of(chosen->rest));
  EXPECT_EQ(whole->content, after);
  EXPECT_TRUE(whole->rest.empty());
  EXPECT_EQ(apply_chosen(before, after, std::vector<std::string>{"nope"}).error().code,
            ErrorCode::kNotFound);
}

TEST(TextMerge, MakesOneTextOfTwoChanges) {
  const auto merged = merge_texts(numbered(20, {}), numbered(20, {3}), numbered(20, {15}));
  EXPECT_TRUE(merged->is_clean());
  EXPECT_EQ(merged->content, numbered(20, {3, 15}));
}

TEST(TextMerge, ShowsAConflictWithTheBaseBetween) {
  const auto merged = merge_texts("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n");
  EXPECT_EQ(merged->conflicts, 1U);
  EXPECT_EQ(merged->content,
            "a\n<<<<<<< file\nours\n||||||| base\nb\n=======\ntheirs\n>>>>>>> proposal\nc\n");
}

TEST(TextMerge, MarksAreLongerThanWhatTheTextsHave) {
  const auto merged = merge_texts("<<<<<<<< x\nb\n", "<<<<<<<< x\nours\n", "<<<<<<<< x\ntheirs\n");
  EXPECT_EQ(merged->conflicts, 1U);
  EXPECT_NE(merged->content.find("\n<<<<<<<<< file\n"), std::string::npos) << merged->content;
  EXPECT_FALSE(merge_texts("", std::string(70'000, '='), ""));
}

}  // namespace
}  // namespace filecall::edit
