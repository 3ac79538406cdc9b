// SPDX-License-Identifier: MIT
#include "client/service/ledger.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "client/store/sqlite.h"
#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    options_.root = root_.path();
    options_.worker_use = WorkerUse::kNone;
    options_.durability = Durability::kNone;
    options_.retry.backoff_base = milliseconds(1);
    options_.seed = 1;
    FakeWorker worker(root_.path(), [](const std::string& id, int) {
      return id == "bad" ? error_text(id, R"(,"retryable":false)") : success_text(id);
    });
    run({"bad", "good"});
  }
  void run(std::vector<std::string> ids) {
    recorder_ = {};
    ListFeed feed(std::move(ids));
    auto orchestrator = Orchestrator::open(options_);
    ASSERT_TRUE(orchestrator);
    ASSERT_TRUE((*orchestrator)->run(feed, recorder_));
  }
  std::unique_ptr<Ledger> open() {
    auto ledger = Ledger::open({.root = root_.path(), .durability = Durability::kNone});
    EXPECT_TRUE(ledger) << ledger.error().message;
    return std::move(*ledger);
  }
  std::vector<std::string> listed(const EntryFilter& filter = {}) {
    std::vector<std::string> out;
    EXPECT_TRUE(open()->for_each(filter, [&](const RequestEntry& entry) {
      out.push_back(entry.request_id + " " + std::string(to_string(entry.state)));
      return true;
    }));
    return out;
  }

  TemporaryRoot root_;
  OrchestratorOptions options_;
  Recorder recorder_;
};

TEST_F(LedgerTest, MergesRowsWithRequestsThatNobodyKnows) {
  root_.write("requests/alien.json", R"({"request_id":"alien","command":"x","params":{}})");
  root_.write("requests/zulu.json", R"({"request_id":"zulu","command":"x","params":{}})");
  root_.write("responses/zulu.json", success_text("zulu"));
  EXPECT_THAT(listed(), ElementsAre("alien NEW", "bad GAVE_UP", "good SUCCESS", "zulu SUCCESS"));
  EXPECT_THAT(listed({.state = RequestState::kGaveUp}), ElementsAre("bad GAVE_UP"));
  auto count = open()->count({});
  ASSERT_TRUE(count);
  EXPECT_EQ(count->counts.total, 4);
  EXPECT_EQ(count->counts.by_state.at(static_cast<std::size_t>(RequestState::kSuccess)), 2);
}

TEST_F(LedgerTest, ListsTheFirstOfManyInOrder) {
  for (int i = 3000; i > 0; --i) {
    const std::string id = "r" + std::to_string(10'000 + i);
    root_.write("requests/" + id + ".json", "{}");
  }
  EXPECT_THAT(listed({.limit = 4}),
              ElementsAre("bad GAVE_UP", "good SUCCESS", "r10001 NEW", "r10002 NEW"));
  const auto all = listed();
  EXPECT_EQ(all.size(), 3002u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

TEST_F(LedgerTest, ShowsARequestWithItsFiles) {
  const auto details = open()->show("bad");
  ASSERT_TRUE(details);
  EXPECT_EQ(details->entry.state, RequestState::kGaveUp);
  EXPECT_EQ(details->entry.command, "system.echo");
  EXPECT_EQ(details->failed, details->response);
  EXPECT_EQ(details->files.size(), 3u);
  const auto unknown = open()->show("nobody");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(unknown.error().message, HasSubstr("`filecall status` lists them"));
}

TEST_F(LedgerTest, NamesTheRequestsThatBeginLikeAnUnknownId) {
  for (const char* id : {"c08-1", "c08-2", "c08-3", "c08-4", "c18-1"}) {
    root_.write(fmt::format("requests/{}.json", id),
                fmt::format(R"({{"request_id":"{}","command":"x","params":{{}}}})", id));
  }
  const auto shown = open()->show("c08");
  ASSERT_FALSE(shown);
  EXPECT_THAT(shown.error().message,
              HasSubstr("did you mean c08-1, c08-2, c08-3, or one of 1 more?"));
  const auto ended = open()->changes().cancel("c18", seconds(0));
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("did you mean c18-1?"));
}

TEST_F(LedgerTest, RetriesWhatWasGivenUp) {
  const auto results = open()->changes().retry({"bad", "good", "nobody"});
  EXPECT_FALSE(results[0].error);
  EXPECT_EQ(results[1].error->code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(results[2].error->code, ErrorCode::kNotFound);
  EXPECT_TRUE(root_.has("failed/bad.json")) << "the outcome until there is another one";
  EXPECT_FALSE(root_.has("responses/bad.json"));
  EXPECT_THAT(listed(), ElementsAre("bad NEW", "good SUCCESS"));
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  run({"bad", "good"});
  EXPECT_EQ(recorder_.outcomes.at("bad").state, RequestState::kSuccess);
  EXPECT_EQ(recorder_.outcomes.at("bad").attempts, 1);
  EXPECT_FALSE(root_.has("failed/bad.json"));
}

TEST_F(LedgerTest, RetriesAllThatFailed) {
  const auto results = open()->changes().retry_failed({});
  ASSERT_TRUE(results);
  EXPECT_EQ(results->results.size(), 1u);
  EXPECT_THAT(listed({.state = RequestState::kGaveUp}), ElementsAre());
}

TEST_F(LedgerTest, CancelsWhatNobodyDrives) {
  root_.write("requests/slow.json", R"({"request_id":"slow","command":"x","params":{}})");
  FakeWorker worker(root_.path(), [](const std::string&, int) -> std::optional<std::string> {
    return std::nullopt;
  });
  while (worker.executions("slow") == 0) std::this_thread::yield();
  const auto effect = open()->changes().cancel("slow", seconds(10));
  ASSERT_TRUE(effect) << effect.error().message;
  EXPECT_EQ(*effect, CancelEffect::kCancelled);
  EXPECT_THAT(root_.read("failed/slow.json"), HasSubstr("cancelled"));
  EXPECT_EQ(open()->changes().cancel("slow", seconds(0)).error().code,
            ErrorCode::kFailedPrecondition);
}

TEST_F(LedgerTest, EndsManyAndSaysOfEachWhatBecameOfIt) {
  for (const char* id : {"q1", "q2"}) {
    root_.write(fmt::format("requests/{}.json", id),
                fmt::format(R"({{"request_id":"{}","command":"x","params":{{}}}})", id));
  }
  FakeWorker worker(root_.path(), [](const std::string&, int) -> std::optional<std::string> {
    return std::nullopt;
  });
  while (worker.executions("q1") == 0 || worker.executions("q2") == 0) std::this_thread::yield();
  const auto results = open()->changes().cancel_all({"q1", "q2", "q1", "nobody"}, seconds(10));
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 3u) << "an id that stands twice counts once";
  EXPECT_EQ((*results)[0].effect.value(), CancelEffect::kCancelled);
  EXPECT_EQ((*results)[1].effect.value(), CancelEffect::kCancelled);
  EXPECT_EQ((*results)[2].effect.error().code, ErrorCode::kNotFound);
}

TEST_F(LedgerTest, AnIdThatIsNoFileNameIsNobodys) {
  root_.write("outside.json", R"({"request_id":"../outside","command":"x","params":{}})");
  for (const char* id : {"../outside", "", ".hidden"}) {
    EXPECT_EQ(open()->show(id).error().code, ErrorCode::kNotFound) << id;
    EXPECT_EQ(open()->changes().cancel(id, seconds(0)).error().code, ErrorCode::kNotFound) << id;
  }
  EXPECT_FALSE(root_.has("outside.cancel-1.json"));
}

TEST_F(LedgerTest, CollectsFinalRequestsAndNeverRunsThemAgain) {
  root_.write("requests/open.json", R"({"request_id":"open","command":"x","params":{}})");
  const auto none = open()->gc({.older_than = std::chrono::hours(1)});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->requests, 0);
  EXPECT_EQ(none->kept, 2);
  const auto rehearsal = open()->gc({.dry_run = true, .with_failed = true});
  EXPECT_EQ(rehearsal->requests, 2);
  EXPECT_TRUE(root_.has("requests/good.json"));
  const auto without_failed = open()->gc({.dry_run = true});
  EXPECT_EQ(without_failed->requests, 1);
  EXPECT_EQ(without_failed->kept_failed, 1);
  const auto report = open()->gc({.with_failed = true});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->requests, 2);
  EXPECT_EQ(report->files, 5);
  EXPECT_FALSE(root_.has("requests/good.json"));
  EXPECT_FALSE(root_.has("responses/good.json"));
  EXPECT_TRUE(root_.has("requests/open.json"));
  EXPECT_THAT(listed(), ElementsAre("open NEW"));
  run({"good"});
  EXPECT_TRUE(recorder_.outcomes.at("good").from_earlier_run);
  EXPECT_FALSE(root_.has("requests/good.json"));
}

TEST_F(LedgerTest, CollectsUnreadableAnswersHoweverManyAttemptsTheDatabaseClaims) {
  ASSERT_TRUE(Database::open(root_.path() + "/client/state.db")
                  ->execute("UPDATE requests SET attempt = 2147483647"));
  root_.write("failed/bad.json.unreadable-1", "{");
  root_.write("failed/bad.json.unreadable-7", "{");
  root_.write("failed/other.json.unreadable-1", "{");
  ASSERT_TRUE(open()->gc({.with_failed = true})) << "and ends";
  EXPECT_FALSE(root_.has("failed/bad.json.unreadable-1"));
  EXPECT_FALSE(root_.has("failed/bad.json.unreadable-7"));
  EXPECT_TRUE(root_.has("failed/other.json.unreadable-1"));
}

TEST_F(LedgerTest, DoesNotCreateARootToLookAtIt) {
  const auto ledger = Ledger::open({.root = root_.path() + "/missing"});
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(root_.has("missing"));
}

}  // namespace
}  // namespace filecall::client
