// SPDX-License-Identifier: MIT
#include "spool/start_records.h"

#include <gtest/gtest.h>

#include "temporary_root.h"

namespace filecall::spool {
namespace {

constexpr std::string_view kWholeAnswer = R"({"request_id":"a","status":"success","data":{"x":1}})"
                                          "\n";

class StartRecords : public testing::TestWithParam<Durability> {
 protected:
  std::string path(const StartRecordName& record) {
    return root_.layout().worker_started() + "/" + record.format();
  }
  std::vector<StartRecordName> recover() {
    auto out = recover_start_records(*root_.open().directories(), GetParam());
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::vector<StartRecordName>();
  }

  TemporaryRoot root_;
  const StartRecordName first_{"a", 1, Effects::kNone};
  const StartRecordName second_{"a", 2, Effects::kNone};
};
INSTANTIATE_TEST_SUITE_P(Durabilities, StartRecords,
                         testing::Values(Durability::kFull, Durability::kNone),
                         [](const auto& row) { return std::string(to_string(row.param)); });

TEST_P(StartRecords, BecomeTheAnswerInOneStep) {
  OpenMedium files(root_, GetParam());
  RootMedium& medium = files.medium;
  ASSERT_TRUE(medium.record_start(first_, R"({"request_id":"a","starts":1})"));
  EXPECT_TRUE(exists(path(first_)));
  ASSERT_EQ(*medium.publish("a", kWholeAnswer, first_), Publication::kPublished);
  EXPECT_EQ(read_text(root_.layout().response("a")), kWholeAnswer);
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
  EXPECT_TRUE(medium.sync_published());
}

TEST_P(StartRecords, LeaveNothingOfThemselvesBehindAShorterAnswer) {
  OpenMedium files(root_, GetParam());
  RootMedium& medium = files.medium;
  ASSERT_TRUE(medium.record_start(first_, std::string(10'000, 'r')));
  ASSERT_EQ(*medium.publish("a", kWholeAnswer, first_), Publication::kPublished);
  EXPECT_EQ(read_text(root_.layout().response("a")), kWholeAnswer);
}

TEST_P(StartRecords, AreReplacedByTheNextStart) {
  OpenMedium files(root_, GetParam());
  RootMedium& medium = files.medium;
  ASSERT_TRUE(medium.record_start(first_, "one"));
  ASSERT_TRUE(medium.record_start(second_, "two"));
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 1u);
  EXPECT_EQ(read_text(path(second_)), "two");
  ASSERT_TRUE(medium.forget_start(second_));
  ASSERT_TRUE(medium.forget_start(second_)) << "gone is fine";
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
}

TEST_P(StartRecords, GoWhenTheAnswerLosesAgainstAnEarlierOne) {
  OpenMedium files(root_, GetParam());
  RootMedium& medium = files.medium;
  write_text(root_.layout().response("a"), "first");
  ASSERT_TRUE(medium.record_start(first_, "{}"));
  ASSERT_EQ(*medium.publish("a", kWholeAnswer, first_), Publication::kAlreadyThere);
  EXPECT_EQ(read_text(root_.layout().response("a")), "first");
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
}

TEST_P(StartRecords, TellWhatWasInterrupted) {
  root_.open();
  const StartRecordName other{"b.1.none", 1, Effects::kExternal};
  write_text(path(second_), R"({"request_id":"a","command":"x","starts":2})");
  write_text(path(other), "");
  write_text(root_.layout().worker_started() + "/what is this", "");
  EXPECT_EQ(OpenMedium(root_, GetParam()).interrupted, (std::vector{second_, other}));
  EXPECT_EQ(recover(), (std::vector{second_, other})) << "recovering twice changes nothing";
}

TEST_P(StartRecords, RollForwardWhenTheAnswerIsComplete) {
  root_.open();
  write_text(path(first_), kWholeAnswer);
  EXPECT_TRUE(recover().empty());
  EXPECT_EQ(read_text(root_.layout().response("a")), kWholeAnswer);
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
}

TEST_P(StartRecords, DoNotRollForwardATornOrForeignAnswer) {
  for (const std::string& text :
       {std::string(kWholeAnswer.substr(0, 30)), std::string(kWholeAnswer.size(), '\0'),
        std::string(), std::string(R"({"request_id":"other","status":"success","data":{}})")}) {
    root_.open();
    write_text(path(first_), text);
    EXPECT_EQ(recover(), std::vector{first_}) << text;
    EXPECT_FALSE(exists(root_.layout().response("a")));
  }
}

TEST_P(StartRecords, OfAnAnsweredRequestAreRemoved) {
  root_.open();
  write_text(root_.layout().response("a"), "first");
  write_text(path(first_), kWholeAnswer);
  EXPECT_TRUE(recover().empty());
  EXPECT_EQ(read_text(root_.layout().response("a")), "first");
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
}

TEST_P(StartRecords, OfOneRequestCountOnce) {
  root_.open();
  write_text(path(first_), "");
  write_text(path(second_), "");
  EXPECT_EQ(recover(), std::vector{second_});
  EXPECT_FALSE(exists(path(first_)));
}

TEST_P(StartRecords, WorkWhereNoRenameCanPublish) {
  // Another mount beneath worker/ is stood in for by a root that was opened before it was complete.
  Directories directories;
  const Root root = root_.open();
  directories.responses = UniqueFd(::dup(root.directories()->responses.get()));
  directories.worker_started = UniqueFd(::dup(root.directories()->worker_started.get()));
  directories.staging_is_shared = false;
  write_text(path(first_), kWholeAnswer);
  const auto left = recover_start_records(directories, GetParam());
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->empty());
  EXPECT_EQ(read_text(root_.layout().response("a")), kWholeAnswer);
  EXPECT_EQ(count_entries(root_.layout().worker_started()), 0u);
  EXPECT_EQ(count_entries(root_.layout().responses()), 1u);
}

TEST_P(StartRecords, KeepEveryLateAnswer) {
  OpenMedium files(root_, GetParam());
  RootMedium& medium = files.medium;
  ASSERT_TRUE(medium.keep_late("a", "one"));
  ASSERT_TRUE(medium.keep_late("a", "two"));
  EXPECT_EQ(read_text(root_.layout().worker_late() + "/a.json"), "one");
  EXPECT_EQ(read_text(root_.layout().worker_late() + "/a.2.json"), "two");
  EXPECT_EQ(count_entries(root_.layout().worker_late()), 2u);
}

}  // namespace
}  // namespace filecall::spool
