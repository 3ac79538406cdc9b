// SPDX-License-Identifier: MIT
#include "worker/exec/file/part_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::file {
namespace {

using testing::ElementsAre;

Json hunk(const char* id) { return {{"id", id}, {"header", "@@"}, {"diff", ""}}; }

Json changes() {
  return Json::array(
      {{{"path", "a"}, {"operation", "update"}, {"hunks", {hunk("1"), hunk("2"), hunk("same")}}},
       {{"path", "b"}, {"operation", "update"}, {"hunks", {hunk("same")}}},
       {{"path", "c"}, {"operation", "create"}, {"hunks", Json::array()}}});
}

TEST(PartChoice, TakesAllWhenNothingIsChosen) {
  const auto parts = choose_parts(changes(), Json());
  ASSERT_TRUE(parts);
  for (const ChosenPart& part : *parts) EXPECT_TRUE(part.is_whole);
}

TEST(PartChoice, TakesHunksAndWholeFiles) {
  const auto parts = choose_parts(changes(), Json::array({"2", {{"path", "c"}}}));
  ASSERT_TRUE(parts);
  EXPECT_FALSE(parts->at(0).is_whole);
  EXPECT_THAT(parts->at(0).hunks, ElementsAre("2"));
  EXPECT_TRUE(parts->at(1).is_empty());
  EXPECT_TRUE(parts->at(2).is_whole);
}

TEST(PartChoice, TakesAllHunksOfAFileAsTheWhole) {
  const Json hunks = Json::array({"1", "2", {{"path", "a"}, {"id", "same"}}});
  const auto parts = choose_parts(changes(), hunks);
  ASSERT_TRUE(parts);
  EXPECT_TRUE(parts->at(0).is_whole);
}

TEST(PartChoice, RefusesWhatNoChangeHasAndWhatSeveralHave) {
  EXPECT_EQ(choose_parts(changes(), Json::array({"3"})).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(choose_parts(changes(), Json::array({{{"path", "b"}, {"id", "1"}}})).error().code,
            ErrorCode::kNotFound);
  const auto doubled = choose_parts(changes(), Json::array({"same"}));
  ASSERT_FALSE(doubled);
  EXPECT_EQ(doubled.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(doubled.error().message.find("a, b"), std::string::npos);
}

TEST(PartChoice, RefusesAPartOfADelete) {
  const Json deletion =
      Json::array({{{"path", "a"}, {"operation", "delete"}, {"hunks", {hunk("1"), hunk("2")}}}});
  EXPECT_EQ(choose_parts(deletion, Json::array({"1"})).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(choose_parts(deletion, Json::array({"1", "2"})));
}

}  // namespace
}  // namespace filecall::worker::file
