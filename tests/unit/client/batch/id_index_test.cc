// SPDX-License-Identifier: MIT
#include "client/batch/id_index.h"

#include <gtest/gtest.h>

#include <vector>

namespace filecall::client {
namespace {

struct Recorder {
  std::vector<IdIndex::Duplicate> found;
  IdIndex::OnDuplicate callback() {
    return [this](const IdIndex::Duplicate& duplicate) { found.push_back(duplicate); };
  }
};

TEST(IdIndex, FindsDuplicatesAcrossChunks) {
  auto index = IdIndex::create();
  ASSERT_TRUE(index) << index.error().message;
  Recorder recorder;
  constexpr std::uint64_t kCount = 100'000;  // More than one chunk.
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE((*index)->add({"id" + std::to_string(i), i, i, false}, recorder.callback()));
  }
  ASSERT_TRUE((*index)->add({"id5", kCount, 5, false}, recorder.callback()));
  ASSERT_TRUE((*index)->add({"id99999", kCount + 1, 0, false}, recorder.callback()));
  ASSERT_TRUE((*index)->finish(recorder.callback()));
  ASSERT_EQ(recorder.found.size(), 2u);
  EXPECT_EQ(recorder.found[0].first_position, 5u);
  EXPECT_TRUE(recorder.found[0].is_same_content);
  EXPECT_EQ(recorder.found[1].later.id, "id99999");
  EXPECT_FALSE(recorder.found[1].is_same_content);
}

TEST(IdIndex, NumbersDerivedIdsInTheSameOrderEveryTime) {
  auto index = IdIndex::create();
  ASSERT_TRUE(index);
  Recorder recorder;
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE((*index)->add({"same", i, 7, true}, recorder.callback()));
  }
  ASSERT_TRUE((*index)->add({"other", 3, 8, true}, recorder.callback()));
  ASSERT_TRUE((*index)->finish(recorder.callback()));
  EXPECT_TRUE(recorder.found.empty());
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE((*index)->rewind());
    for (std::int64_t occurrence = 1; occurrence <= 3; ++occurrence) {
      EXPECT_EQ((*index)->next_occurrence("same").value(), occurrence);
    }
    EXPECT_EQ((*index)->next_occurrence("other").value(), 1);
  }
  EXPECT_TRUE((*index)->contains("same-3").value());
  EXPECT_FALSE((*index)->contains("same-4").value());
}

TEST(IdIndex, KnowsTheIdsOfASmallBatch) {
  auto index = IdIndex::create();
  ASSERT_TRUE(index);
  Recorder recorder;
  for (std::uint64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE((*index)->add({"id" + std::to_string(i), i, i, i % 2 == 0}, recorder.callback()));
  }
  ASSERT_TRUE((*index)->finish(recorder.callback()));
  ASSERT_TRUE((*index)->rewind());
  EXPECT_TRUE(recorder.found.empty());
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE((*index)->contains("id" + std::to_string(i)).value());
    EXPECT_EQ((*index)->next_occurrence("id" + std::to_string(i)).value(), 1);
  }
  EXPECT_FALSE((*index)->contains("id50").value());
}

TEST(IdIndex, AStatedIdMayNotTakeADerivedName) {
  auto index = IdIndex::create();
  ASSERT_TRUE(index);
  Recorder recorder;
  ASSERT_TRUE((*index)->add({"same-2", 0, 1, false}, recorder.callback()));
  ASSERT_TRUE((*index)->add({"same", 1, 7, true}, recorder.callback()));
  ASSERT_TRUE((*index)->add({"same", 2, 7, true}, recorder.callback()));
  ASSERT_TRUE((*index)->add({"same", 3, 9, false}, recorder.callback()));
  ASSERT_TRUE((*index)->finish(recorder.callback()));
  ASSERT_EQ(recorder.found.size(), 2u);
  EXPECT_EQ(recorder.found[0].later.id, "same-2");
  EXPECT_EQ(recorder.found[1].later.position, 3u);
}

}  // namespace
}  // namespace filecall::client
