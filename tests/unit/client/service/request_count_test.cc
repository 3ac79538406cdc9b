// SPDX-License-Identifier: MIT
#include "client/service/request_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "client/service/answer_memory.h"
#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

using ::testing::ElementsAre;

class RequestCountTest : public ::testing::Test {
 protected:
  RequestCountTest()
      : opened_(std::move(*spool::Root::open(root_.path(), {}))),
        store_(std::move(*StateStore::open(opened_.layout().client_database(), Durability::kNone,
                                           WallTime{}))) {}

  void drop(const std::string& id) const {
    root_.write("requests/" + id + ".json",
                R"({"request_id":")" + id + R"(","command":"x","params":{}})");
  }
  void answer(const std::string& id, const std::string& text) const {
    drop(id);
    root_.write("responses/" + id + ".json", text);
  }
  void put(const std::string& id, RequestState state, bool is_control = false) {
    RequestRow row;
    row.request_id = id;
    row.progress.state = state;
    row.is_control = is_control;
    if (is_final(state)) row.finished_at = WallTime{};
    ASSERT_TRUE(store_->put(row));
  }
  LedgerCounts count(std::int64_t read_max = 1000) {
    const auto counted = count_requests(opened_, *store_, {.read_max = read_max});
    EXPECT_TRUE(counted);
    return counted->counts;
  }
  /// In the order of the states: NEW, POLLING, WAITING, SUCCESS, GAVE_UP.
  std::array<std::int64_t, kRequestStateCount> states(std::int64_t read_max = 1000) {
    return count(read_max).by_state;
  }
  /// As if the last look had come long after the last change of the directory.
  void age_memory() const {
    AnswerMemory memory = AnswerMemory::load(opened_.layout().client_seen());
    DirectoryStamp stamp = memory.stamp();
    stamp.taken_at_ns += 1'000'000'000;
    memory.set_stamp(stamp);
    ASSERT_TRUE(memory.save(opened_.layout().client_seen()));
  }

  TemporaryRoot root_;
  spool::Root opened_;
  std::unique_ptr<StateStore> store_;
};

TEST_F(RequestCountTest, CountsRowsWhateverTheFilesShow) {
  put("done", RequestState::kSuccess);
  drop("waits");
  put("waits", RequestState::kWaiting);
  answer("gone", error_text("gone", ""));
  put("gone", RequestState::kGaveUp);
  drop("done.cancel-1");
  put("done.cancel-1", RequestState::kSuccess, true);
  EXPECT_THAT(states(), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_EQ(count().total, 3);
}

TEST_F(RequestCountTest, TellsTheStateOfRequestsWithoutARowFromTheirFiles) {
  put("row", RequestState::kSuccess);
  drop("new");
  answer("good", success_text("good"));
  answer("foreign", R"({ "status": "success", "data": {}, "request_id": "foreign" })");
  answer("bad", error_text("bad", ""));
  answer("torn", R"({"request_id":"torn","sta)");
  answer("over", error_text("over", ""));
  root_.write("failed/over.json", error_text("over", ""));
  drop("lost");
  root_.write("failed/lost.json", error_text("lost", ""));
  for (int look = 0; look < 3; ++look) {
    EXPECT_THAT(states(), ElementsAre(2, 0, 0, 3, 3)) << look;
    EXPECT_EQ(count().total, 8);
  }
}

TEST_F(RequestCountTest, TakesTheAnswerOfWhatWasRetriedAndNobodyDrives) {
  put("again", RequestState::kNew);
  put("healed", RequestState::kNew);
  put("waits", RequestState::kNew);
  answer("again", error_text("again", ""));
  answer("healed", success_text("healed"));
  drop("waits");
  EXPECT_THAT(states(), ElementsAre(1, 0, 0, 1, 1));
  EXPECT_EQ(count().total, 3);
}

TEST_F(RequestCountTest, NamesWhatItHasNotReadAndGoesOnNextTime) {
  for (const std::string id : {"a", "b", "c", "d", "e"}) answer(id, success_text(id));
  drop("new");
  LedgerCounts counts = count(2);
  EXPECT_THAT(counts.by_state, ElementsAre(1, 0, 0, 2, 0));
  EXPECT_EQ(counts.unread, 3);
  EXPECT_EQ(counts.total, 6);
  EXPECT_EQ(count(2).unread, 1);
  counts = count(2);
  EXPECT_EQ(counts.unread, 0);
  EXPECT_THAT(counts.by_state, ElementsAre(1, 0, 0, 5, 0));
  EXPECT_EQ(count(0).unread, 0) << "all is remembered";
}

TEST_F(RequestCountTest, OpensNothingAgainWhileTheDirectoryIsUnchanged) {
  answer("a", success_text("a"));
  answer("b", error_text("b", ""));
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 1, 1));
  age_memory();
  // Written in its place, which no worker does: the directory shows nothing of it.
  std::ofstream(root_.path() + "/responses/a.json") << error_text("a", "");
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 1, 1));
  root_.write("responses/c.json", "{}");
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 0, 2)) << "every file is looked at";
  std::filesystem::remove(opened_.layout().client_seen());
  EXPECT_EQ(count(0).unread, 2) << "the memory may be removed at any time";
}

TEST_F(RequestCountTest, LooksAgainAtAnAnswerThatWasReplaced) {
  answer("a", success_text("a"));
  answer("b", success_text("b"));
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 2, 0));
  std::filesystem::remove(root_.path() + "/responses/b.json");
  EXPECT_THAT(states(), ElementsAre(1, 0, 0, 1, 0));
  answer("b", error_text("b", ""));
  EXPECT_EQ(count(0).unread, 1);
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 1, 1));
}

TEST_F(RequestCountTest, TrustsAMemoryOnlyForWhatItLookedAt) {
  answer("a", success_text("a"));
  answer("b", success_text("b"));
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 2, 0));
  // Driven by a run for a while, so that nobody looks at its answer, which changes.
  put("b", RequestState::kWaiting);
  std::filesystem::remove(root_.path() + "/responses/b.json");
  answer("b", error_text("b", ""));
  EXPECT_THAT(states(), ElementsAre(0, 0, 1, 1, 0));
  age_memory();
  ASSERT_TRUE(store_->remove("b"));
  EXPECT_THAT(states(), ElementsAre(0, 0, 0, 1, 1));
}

}  // namespace
}  // namespace filecall::client
