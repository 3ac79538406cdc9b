// SPDX-License-Identifier: MIT
#include "spool/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "temporary_root.h"
#include "tests/support/journal_records.h"

namespace filecall::spool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string answer_text(const std::string& stem, const std::string& data = "1") {
  return R"({"request_id":")" + stem + R"(","status":"success","data":")" + data + "\"}\n";
}

PendingWrite answer(const std::string& stem, std::optional<StartRecordName> record = {},
                    const std::string& data = "1") {
  return {stem, answer_text(stem, data), std::move(record)};
}

class JournaledRoot : public testing::Test {
 protected:
  JournaledRoot() : driver_(where_, ReaderDriver::defaults(), Durability::kJournal) {}

  RootMedium& medium() { return driver_.medium(); }
  Layout layout() const { return where_.layout(); }

  std::vector<Result<Publication>> commit(std::vector<PendingWrite> writes) {
    commit_group(medium(), writes);
    std::vector<Result<Publication>> out;
    for (auto& write : writes) out.push_back(std::move(write.result));
    return out;
  }
  Publication commit_one(PendingWrite write) {
    const auto results = commit({std::move(write)});
    CHECK(results[0].has_value(), results[0].error().message.c_str());
    return *results[0];
  }
  /// What a power cut now would leave of the log, as "kind name".
  std::vector<std::string> logged() {
    std::map<std::uint64_t, std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(where_.layout().worker_journal())) {
      const std::string bytes = read_text(entry.path());
      const auto header = decode_header(bytes);
      CHECK(header.has_value(), "a segment has a header");
      for (const auto& record : read_segment(bytes, *header).records) {
        const char* kind = record.kind == RecordKind::kAnswer  ? "answer "
                           : record.kind == RecordKind::kStart ? "start "
                                                               : "withdrawn ";
        out[record.sequence] = kind + record.name;
      }
    }
    std::vector<std::string> texts;
    for (auto& [sequence, text] : out) texts.push_back(text);
    return texts;
  }
  void drop(const std::string& stem) { write_text(layout().request(stem), request_text(stem)); }

  TemporaryRoot where_;
  ReaderDriver driver_;
};

TEST_F(JournaledRoot, LogsAndPublishesAGroup) {
  EXPECT_TRUE(medium().is_grouped());
  EXPECT_FALSE(medium().has_journal());
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u) << "no answer, no log";
  for (const auto& result : commit({answer("a"), answer("b"), answer("c")})) {
    EXPECT_EQ(*result, Publication::kPublished);
  }
  EXPECT_EQ(read_text(layout().response("b")), answer_text("b"));
  EXPECT_EQ(count_entries(layout().responses()), 3u);
  EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
  EXPECT_TRUE(medium().has_journal());
  EXPECT_THAT(logged(), ElementsAre("answer a", "answer b", "answer c"));
}

TEST_F(JournaledRoot, ShowsNothingBeforeItIsLogged) {
  PendingWrite write = answer("a");
  medium().stage(write);
  EXPECT_THAT(count_entries(layout().responses()), 0u);
  medium().log({&write, 1});
  EXPECT_THAT(logged(), ElementsAre("answer a"));
  EXPECT_THAT(count_entries(layout().responses()), 0u);
  medium().publish_logged({&write, 1});
  EXPECT_EQ(read_text(layout().response("a")), answer_text("a"));
}

TEST_F(JournaledRoot, KeepsTheLogUntilTheGroupIsPublished) {
  PendingWrite write = answer("a");
  medium().stage(write);
  medium().log({&write, 1});
  auto checkpoint = std::async(std::launch::async, [this] { return medium().checkpoint(); });
  EXPECT_EQ(checkpoint.wait_for(milliseconds(20)), std::future_status::timeout);
  EXPECT_THAT(logged(), ElementsAre("answer a"));
  medium().publish_logged({&write, 1});
  EXPECT_TRUE(checkpoint.get());
  EXPECT_THAT(logged(), IsEmpty());
  EXPECT_TRUE(exists(layout().response("a")));
}

TEST_F(JournaledRoot, LogsAStartAndConsumesItsRecordWithTheAnswer) {
  const StartRecordName record{"a", 1, Effects::kExternal};
  commit_one({"a", "{}\n", record, true});
  EXPECT_EQ(read_text(layout().worker_started() + "/a.1.external"), "{}\n");
  commit_one(answer("a", record));
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
  EXPECT_EQ(read_text(layout().response("a")), answer_text("a"));
  EXPECT_THAT(logged(), ElementsAre("start a.1.external", "answer a"));
}

TEST_F(JournaledRoot, NeverReplacesAnEarlierResponse) {
  write_text(layout().response("a"), "first");
  const StartRecordName record{"a", 1, Effects::kExternal};
  commit_one({"a", "{}\n", record, true});
  EXPECT_EQ(commit_one(answer("a", record)), Publication::kAlreadyThere);
  EXPECT_EQ(commit_one(answer("a")), Publication::kAlreadyThere);
  EXPECT_EQ(read_text(layout().response("a")), "first");
  EXPECT_EQ(count_entries(layout().worker_started()), 0u);
  EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("start a.1.external", "answer a", "withdrawn a", "answer a",
                                    "withdrawn a", "answer b"));
}

TEST_F(JournaledRoot, WithdrawsWhatAClientDeleted) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  commit_one(answer("a"));
  driver_.reader().release("a", true);
  ASSERT_EQ(::unlink(layout().response("a").c_str()), 0);
  ASSERT_TRUE(driver_.until_taken("a", 2));
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("answer a", "withdrawn a", "answer b"));
  commit_one(answer("a"));
  EXPECT_EQ(logged().back(), "answer a") << "the second attempt's";
}

TEST_F(JournaledRoot, NeverWithdrawsWhatIsBeingAnswered) {
  drop("a");
  ASSERT_TRUE(driver_.until_taken("a"));
  commit_one(answer("a"));
  ASSERT_EQ(::unlink(layout().response("a").c_str()), 0);
  // Still held: the event may be older than the answer that is on its way.
  driver_.run_for(milliseconds(20));
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("answer a", "answer b"));
  driver_.reader().release("a", true);
}

TEST_F(JournaledRoot, WithdrawsAStartThatIsForgotten) {
  const StartRecordName record{"a", 1, Effects::kExternal};
  commit_one({"a", "{}\n", record, true});
  ASSERT_TRUE(medium().forget_start(record));
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("start a.1.external", "withdrawn a", "answer b"));
}

TEST_F(JournaledRoot, EmptiesTheLogAtACheckpoint) {
  commit_one(answer("a"));
  ASSERT_TRUE(medium().checkpoint());
  EXPECT_FALSE(medium().has_journal());
  EXPECT_THAT(logged(), IsEmpty());
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("answer b")) << "the segment's new lap hides the old one";
  EXPECT_TRUE(exists(layout().response("a")));
}

TEST_F(JournaledRoot, LeavesNothingWhenItRests) {
  ASSERT_TRUE(medium().rest());
  commit_one(answer("a"));
  ASSERT_TRUE(medium().rest());
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
  commit_one(answer("b"));
  EXPECT_THAT(logged(), ElementsAre("answer b"));
}

TEST_F(JournaledRoot, StaysSmallUnderALongFlood) {
  const std::string large(8 << 20, 'x');
  std::uintmax_t most = 0;
  bool has_wanted = false;
  for (int i = 0; i < 24; ++i) {
    commit_one(answer("a" + std::to_string(i), {}, large));
    if (medium().wants_checkpoint()) has_wanted = true;
    std::uintmax_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(layout().worker_journal())) {
      size += entry.file_size();
    }
    most = std::max(most, size);
    ::unlink(layout().response("a" + std::to_string(i)).c_str());
  }
  EXPECT_TRUE(has_wanted);
  EXPECT_LE(count_entries(layout().worker_journal()), 2u);
  EXPECT_LE(most, 192u << 20) << "two segments, doubled at most once more by their last answer";
  ASSERT_TRUE(medium().checkpoint());
  ASSERT_TRUE(medium().rest());
  EXPECT_EQ(count_entries(layout().worker_journal()), 0u);
}

TEST_F(JournaledRoot, FollowsARootThatWasReplaced) {
  commit_one(answer("a"));
  const std::string aside = where_.path() + "/aside";
  ASSERT_EQ(::rename(layout().responses().c_str(), aside.c_str()), 0);
  ASSERT_EQ(::mkdir(layout().responses().c_str(), 0700), 0);
  int turn = 0;
  std::string last;
  ASSERT_TRUE(driver_.until([&] {
    last = "b" + std::to_string(++turn);
    commit_one(answer(last));
    return exists(layout().response(last));
  }));
  EXPECT_TRUE(exists(aside + "/a.json"));
  EXPECT_THAT(logged(), ElementsAre("answer " + last)) << "the old ones were brought to rest";
}

TEST_F(JournaledRoot, FailsWhatWasStagedInARootThatWasReplacedSince) {
  PendingWrite staged = answer("a");
  medium().stage(staged);
  const std::string aside = where_.path() + "/aside";
  ASSERT_EQ(::rename(layout().responses().c_str(), aside.c_str()), 0);
  ASSERT_EQ(::mkdir(layout().responses().c_str(), 0700), 0);
  int turn = 0;
  ASSERT_TRUE(driver_.until([&] {
    const std::string last = "b" + std::to_string(++turn);
    commit_one(answer(last));
    return exists(layout().response(last));
  }));
  medium().log({&staged, 1});
  medium().publish_logged({&staged, 1});
  ASSERT_FALSE(staged.result);
  EXPECT_EQ(staged.result.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(exists(aside + "/a.json"));
  EXPECT_EQ(count_entries(layout().worker_tmp()), 0u);
  commit_group(medium(), {&staged, 1});
  EXPECT_TRUE(exists(layout().response("a"))) << "another try begins anew";
}

}  // namespace
}  // namespace filecall::spool
