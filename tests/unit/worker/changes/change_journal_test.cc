// SPDX-License-Identifier: MIT
#include "worker/changes/change_journal.h"

#include <gtest/gtest.h>

namespace filecall::worker::changes {
namespace {

ChangeSet example() {
  ChangeSet set;
  set.request_id = "r-1";
  set.steps = {
      {StepKind::kReplace, "src/a.txt", "/w/src", "a.txt", ".aside-0", {2, "aa"}, {3, "bb"}},
      {StepKind::kCreate, "src/n/é.txt", "/w/src/n", "é.txt", ".aside-1", {}, {1, "cc"}},
      {StepKind::kRemove, "src/g.txt", "/w/src", "g.txt", ".aside-2", {0, "dd"}, {}}};
  set.makes = {"/w/src/n"};
  set.empties = {"/w/old/b", "/w/old"};
  set.answer = {{"applied", Json::array()}, {"text", "line\nline\n"}};
  return set;
}

TEST(ChangeJournal, AnIntentAndItsEndAreReadAsTheyWereWritten) {
  const std::string intent = intent_line(example());
  EXPECT_EQ(intent.find('\n'), intent.size() - 1);
  auto record = read_change_record(intent);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->set, example());
  EXPECT_EQ(record->end, std::nullopt);
  record = read_change_record(intent + "\n" + end_line(ChangeEnd::kMade) + "\n" +
                              end_line(ChangeEnd::kTorn, {"a: as before"}));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->end, ChangeEnd::kTorn);
  EXPECT_EQ(record->files, std::vector<std::string>{"a: as before"});
}

TEST(ChangeJournal, ATornEndIsNone) {
  const std::string intent = intent_line(example());
  const std::string end = end_line(ChangeEnd::kUndone);
  for (std::size_t size = 0; size + 1 < end.size(); ++size) {
    const auto record = read_change_record(intent + "\n" + end.substr(0, size));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->end, std::nullopt);
    // The next end begins a line of its own.
    const auto again =
        read_change_record(intent + "\n" + end.substr(0, size) + "\n" + end_line(ChangeEnd::kMade));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->end, ChangeEnd::kMade);
  }
}

TEST(ChangeJournal, ADamagedIntentIsNotBelieved) {
  const std::string intent = intent_line(example());
  for (std::size_t at = 0; at + 1 < intent.size(); ++at) {
    std::string damaged = intent;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto record = read_change_record(damaged);
    ASSERT_FALSE(record) << at;
    EXPECT_EQ(record.error().code, ErrorCode::kDataLoss);
  }
  EXPECT_FALSE(read_change_record(""));
  EXPECT_FALSE(read_change_record(end_line(ChangeEnd::kMade)));
}

}  // namespace
}  // namespace filecall::worker::changes
