// SPDX-License-Identifier: MIT
#include "client/runs/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "client/runs/run_items.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-runs-XXXXXX";
    directory_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  spool::Layout layout() const { return spool::Layout(directory_); }
  RunFiles::Begun begin(const std::vector<std::string>& ids, int second,
                        Json setup = Json::object()) {
    RunPlanText plan{"rows.csv", {"in/rows.csv"}, std::move(setup)};
    const auto list = [&](RunDraft& draft) -> Result<void> {
      for (const std::string& id : ids) {
        if (auto added = draft.add(id, R"({"item":"x"})"); !added) return added;
      }
      return {};
    };
    auto begun = runs().begin(plan, list, WallTime(seconds(second)), Durability::kNone);
    EXPECT_TRUE(begun) << begun.error().message;
    return *std::move(begun);
  }
  RunFiles runs() const { return RunFiles(layout()); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(layout().runs())) {
      ++count;
    }
    return count;
  }

  std::string directory_;
};

TEST_F(RunFilesTest, ARunIsARecordAndAList) {
  const RunRecord record = begin({"a", "b"}, 0, {{"repeat", 1}}).record;
  EXPECT_THAT(record.run_id, testing::StartsWith("19700101T000000000Z-"));
  EXPECT_TRUE(record.digest.starts_with("sha256:" + record.run_id.substr(20)));
  EXPECT_EQ(record.requests, 2);
  std::vector<std::string> ids;
  ASSERT_TRUE(RunItems(layout(), record).each([&](const RunItem& item) -> Result<bool> {
    ids.push_back(item.request_id);
    EXPECT_EQ(item.metadata["item"], "x");
    return true;
  }));
  EXPECT_THAT(ids, ElementsAre("a", "b"));
  const RunRecord again = *runs().find(record.run_id);
  EXPECT_EQ(run_record_json(again), run_record_json(record));
}

TEST_F(RunFilesTest, TheSameAgainIsTheSameRun) {
  const auto first = begin({"a", "b"}, 0);
  const auto again = begin({"a", "b"}, 60);
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.record.run_id, first.record.run_id);
  EXPECT_EQ(files(), 3U) << "record, list, latest; no temporary stays";
}

TEST_F(RunFilesTest, WhateverDiffersIsAnotherRunAndTheLastToBeginIsTheLatest) {
  const std::string first = begin({"a"}, 0).record.run_id;
  const std::string more = begin({"a", "b"}, 1).record.run_id;
  const std::string other = begin({"a"}, 2, {{"repeat", 2}}).record.run_id;
  EXPECT_EQ(runs().list()->size(), 3U);
  EXPECT_EQ(runs().latest()->value().run_id, other);
  EXPECT_EQ(runs().find("previous")->run_id, more);
  begin({"a"}, 3);
  EXPECT_EQ(runs().find("latest")->run_id, first) << "it goes on";
  EXPECT_EQ(runs().latest_of("rows.csv")->value().run_id, first);
  EXPECT_FALSE(runs().latest_of("other.csv")->has_value());
}

TEST_F(RunFilesTest, ARunIsNamedByWhatOnlyItHas) {
  const std::string first = begin({"a"}, 0).record.run_id;
  const std::string second = begin({"b"}, 0).record.run_id;
  EXPECT_EQ(runs().find(first.substr(20))->run_id, first);
  EXPECT_EQ(runs().find("1970").error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(runs().find("1970").error().message, HasSubstr(second));
  EXPECT_EQ(runs().find("no-such").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(runs().find("").error().code, ErrorCode::kNotFound);
}

TEST_F(RunFilesTest, NothingWasRun) {
  EXPECT_FALSE(runs().latest()->has_value());
  EXPECT_THAT(*runs().list(), IsEmpty());
  EXPECT_EQ(runs().find("latest").error().code, ErrorCode::kNotFound);
}

TEST_F(RunFilesTest, ARunThatGoesOnIsNotRemoved) {
  const std::string id = begin({"a"}, 0).record.run_id;
  {
    const auto lock = runs().lock(id);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(runs().goes_on(id));
    EXPECT_EQ(runs().lock(id).error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(runs().remove(id).error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(*runs().remove("latest"), id);
  EXPECT_FALSE(runs().latest()->has_value()) << "the note of the latest is of one that is gone";
  EXPECT_EQ(begin({"a"}, 9).is_new, true);
}

TEST_F(RunFilesTest, ADamagedRecordIsNamedAndLeftOut) {
  begin({"a"}, 0);
  std::ofstream(layout().run("broken")) << "{";
  std::vector<std::string> unreadable;
  EXPECT_EQ(runs().list(&unreadable)->size(), 1U);
  EXPECT_THAT(unreadable, ElementsAre(HasSubstr("runs/broken.json")));
}

TEST_F(RunFilesTest, ALineThatIsNoneOfOursIsRefusedWithItsPlace) {
  const RunRecord record = begin({"a"}, 0).record;
  for (const char* line : {"{", "[]", R"({"request_id":1})", R"({"request_id":"../a"})"}) {
    std::ofstream(layout().run_items(record.run_id)) << line << "\n";
    const auto read = RunItems(layout(), record).each([](const RunItem&) -> Result<bool> {
      ADD_FAILURE();
      return true;
    });
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr(".items.jsonl:1: "));
  }
}

TEST_F(RunFilesTest, AListThatIsNotTheOneThatTheRunBeganWithIsRefused) {
  const RunRecord record = begin({"a", "b"}, 0).record;
  const auto read = [&] {
    return RunItems(layout(), record).each([](const RunItem&) -> Result<bool> { return true; });
  };
  ASSERT_TRUE(read());
  const std::string path = layout().run_items(record.run_id);
  const std::string a = R"({"request_id":"a","metadata":{"item":"x"}})"
                        "\n";
  const std::string b = R"({"request_id":"b","metadata":{"item":"x"}})"
                        "\n";
  for (const std::string& other : {std::string(), a, a + a, b + a, a + b + b,
                                   a + R"({"request_id":"b"})"
                                       "\n"}) {
    std::ofstream(path) << other;
    const auto refused = read();
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(refused.error().message, HasSubstr("was changed after the run began"));
  }
  std::ofstream(path) << a + b;
  EXPECT_TRUE(read());
}

TEST_F(RunFilesTest, ARecordThatWasChangedIsNamedAndLeftOut) {
  const RunRecord record = begin({"a"}, 0, {{"limit", 0.1}, {"model", "m"}}).record;
  ASSERT_TRUE(runs().find(record.run_id));
  RunRecord changed = record;
  changed.plan.setup["model"] = "other";
  std::ofstream(layout().run(record.run_id)) << dump_json(run_record_json(changed));
  const auto found = runs().find(record.run_id);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("was changed after the run began"));
}

}  // namespace
}  // namespace filecall::client
