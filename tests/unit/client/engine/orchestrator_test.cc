// SPDX-License-Identifier: MIT
#include "client/engine/orchestrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "fake_worker.h"
#include "spool/client_files.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;

class OrchestratorTest : public ::testing::Test {
 protected:
  OrchestratorTest() {
    options_.root = root_.path();
    options_.worker_use = WorkerUse::kNone;
    options_.durability = Durability::kNone;
    options_.retry.backoff_base = milliseconds(5);
    options_.retry.backoff_max = milliseconds(10);
    options_.attempt_timeout = seconds(20);
    options_.cancel_patience = milliseconds(500);
    options_.cold_start_delay = Duration::zero();
    options_.worker_patience = milliseconds(100);
    options_.seed = 1;
  }

  RunEnd run(std::vector<std::string> ids) {
    recorder_ = {};
    ListFeed feed(std::move(ids));
    auto orchestrator = Orchestrator::open(options_);
    EXPECT_TRUE(orchestrator) << orchestrator.error().message;
    const auto end = (*orchestrator)->run(feed, recorder_);
    EXPECT_TRUE(end) << end.error().message;
    EXPECT_EQ(recorder_.repeated, 0);
    return end.value_or(RunEnd::kNoWorker);
  }
  const RequestOutcome& outcome(const std::string& id) { return recorder_.outcomes.at(id); }

  TemporaryRoot root_;
  OrchestratorOptions options_;
  Recorder recorder_;
};

TEST_F(OrchestratorTest, BringsAThousandRequestsToSuccessThroughASmallWindow) {
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  options_.window = 32;
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back("r" + std::to_string(i));
  EXPECT_EQ(run(ids), RunEnd::kDone);
  EXPECT_EQ(recorder_.outcomes.size(), 1000u);
  EXPECT_EQ(recorder_.last.by_state.at(static_cast<std::size_t>(RequestState::kSuccess)), 1000);
  EXPECT_EQ(outcome("r999").attempts, 1);
  EXPECT_FALSE(root_.has("failed/r1.json"));
  EXPECT_TRUE(root_.has("requests/r1.json"));
  EXPECT_TRUE(root_.has("responses/r1.json"));
}

TEST_F(OrchestratorTest, RetriesUntilSuccess) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n < 3 ? error_text(id, R"(,"error_code":"unavailable")") : success_text(id);
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kSuccess);
  EXPECT_EQ(outcome("a").attempts, 3);
  EXPECT_EQ(worker.executions("a"), 3);
  EXPECT_FALSE(outcome("a").error_code);
}

TEST_F(OrchestratorTest, GivesUpAfterThreeAttemptsAndCopiesTheResponse) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return error_text(id, R"(,"error_details":{"n":)" + std::to_string(n) + "}");
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kGaveUp);
  EXPECT_EQ(outcome("a").attempts, 3);
  EXPECT_EQ(worker.executions("a"), 3);
  EXPECT_EQ(root_.read("failed/a.json"), root_.read("responses/a.json"));
  EXPECT_THAT(root_.read("failed/a.json"), HasSubstr(R"("n":3)"));
}

TEST_F(OrchestratorTest, GivesUpAtOnceWhenNotRetryable) {
  FakeWorker worker(root_.path(), [](const std::string& id, int) {
    return error_text(id, R"(,"error_code":"unavailable","retryable":false)");
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").attempts, 1);
  EXPECT_EQ(outcome("a").error_code, ErrorCode::kUnavailable);
  EXPECT_TRUE(root_.has("failed/a.json"));
}

TEST_F(OrchestratorTest, RetriesAnErrorThatDoesNotSayWhetherItMay) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 ? error_text(id, R"(,"error_code":"invalid_argument")") : success_text(id);
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").attempts, 2);
}

TEST_F(OrchestratorTest, WaitsAtLeastForRetryAfter) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 ? error_text(id, R"(,"retry_after_ms":300)") : success_text(id);
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_GE(outcome("a").latency_ms, 300);
}

TEST_F(OrchestratorTest, CancelsAnAttemptThatIsOutOfTimeAndTriesAgain) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 ? std::optional<std::string>() : success_text(id);
  });
  options_.attempt_timeout = milliseconds(50);
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kSuccess);
  EXPECT_EQ(outcome("a").attempts, 2);
  EXPECT_TRUE(root_.has("requests/a.cancel-1.json"));
}

TEST_F(OrchestratorTest, WritesItsOwnFailureWhenNothingEverAnswers) {
  // No fake worker: a foreign server that publishes no status and is not there.
  options_.attempt_timeout = milliseconds(20);
  options_.cancel_patience = milliseconds(20);
  options_.retry.attempts_max = 2;
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kGaveUp);
  EXPECT_EQ(outcome("a").attempts, 2);
  EXPECT_EQ(outcome("a").error_code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(root_.read("failed/a.json"), HasSubstr("deadline_exceeded"));
  EXPECT_FALSE(root_.has("responses/a.json"));
}

TEST_F(OrchestratorTest, ReportsWhatEndedEarlierWithoutAWorker) {
  {
    FakeWorker worker(root_.path(), [](const std::string& id, int) {
      return id == "bad" ? error_text(id, R"(,"retryable":false)") : success_text(id);
    });
    EXPECT_EQ(run({"good", "bad"}), RunEnd::kDone);
  }
  EXPECT_EQ(run({"good", "bad"}), RunEnd::kDone);
  EXPECT_TRUE(outcome("good").from_earlier_run);
  EXPECT_TRUE(outcome("bad").from_earlier_run);
  EXPECT_EQ(outcome("bad").state, RequestState::kGaveUp);
}

TEST_F(OrchestratorTest, InfersTheStateFromTheFilesWithoutADatabase) {
  {
    FakeWorker worker(root_.path(), [](const std::string& id, int) {
      return id == "bad" ? error_text(id, R"(,"retryable":false)") : success_text(id);
    });
    EXPECT_EQ(run({"good", "bad"}), RunEnd::kDone);
  }
  for (const char* suffix : {"", "-wal", "-shm"}) {
    ::unlink((root_.path() + "/client/state.db" + suffix).c_str());
  }
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  EXPECT_EQ(run({"good", "bad"}), RunEnd::kDone);
  EXPECT_EQ(outcome("good").state, RequestState::kSuccess);
  EXPECT_EQ(outcome("bad").state, RequestState::kGaveUp);
  EXPECT_TRUE(outcome("good").from_earlier_run);
  EXPECT_EQ(worker.executions("bad"), 0);
}

TEST_F(OrchestratorTest, CountsAnErrorResponseOfBeforeAsTheFirstAttempt) {
  ListFeed feed({"a"});
  root_.write("requests/a.json", feed.next()->submission.bytes);
  root_.write("responses/a.json", error_text("a", ""));
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").attempts, 2);
  EXPECT_EQ(worker.executions("a"), 1);
}

TEST_F(OrchestratorTest, LeavesAnotherRequestOfTheSameIdAlone) {
  root_.write("requests/a.json", R"({"request_id":"a","command":"other","params":{}})");
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  EXPECT_EQ(run({"a", "b"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").error_code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(outcome("b").state, RequestState::kSuccess);
  EXPECT_THAT(root_.read("requests/a.json"), HasSubstr("other"));
}

TEST_F(OrchestratorTest, KeepsAnUnreadableResponseAndRetries) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 ? std::string("{\"request_id\":\"a\",") : success_text(id);
  });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kSuccess);
  EXPECT_EQ(outcome("a").attempts, 2);
  EXPECT_EQ(root_.read("failed/a.json.unreadable-1"), "{\"request_id\":\"a\",");
}

TEST_F(OrchestratorTest, StopsWhenInterruptedAndContinuesWithTheSameAttempts) {
  auto orchestrator = Orchestrator::open(options_);
  ASSERT_TRUE(orchestrator);
  std::atomic<int> executed{0};
  {
    FakeWorker worker(root_.path(), [&](const std::string& id, int) {
      ++executed;
      return error_text(id, R"(,"retry_after_ms":600000)");
    });
    std::jthread stopper([&] {
      while (!root_.has("responses/a.json")) std::this_thread::yield();
      (*orchestrator)->interruption().request();
    });
    ListFeed feed({"a"});
    const auto end = (*orchestrator)->run(feed, recorder_);
    ASSERT_TRUE(end);
    EXPECT_EQ(*end, RunEnd::kInterrupted);
  }
  orchestrator->reset();
  options_.retry.attempts_max = 2;
  // Somebody else asks for the next attempt by deleting the response.
  ::unlink((root_.path() + "/responses/a.json").c_str());
  FakeWorker worker(root_.path(), [](const std::string& id, int) { return success_text(id); });
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  EXPECT_EQ(outcome("a").state, RequestState::kSuccess);
  EXPECT_EQ(executed, 1);
}

TEST_F(OrchestratorTest, FollowsWhatAnotherLiveClientDrives) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 ? error_text(id, R"(,"retry_after_ms":400)") : success_text(id);
  });
  auto first = Orchestrator::open(options_);
  ASSERT_TRUE(first);
  Recorder first_recorder;
  std::jthread thread([&] {
    ListFeed feed({"a"});
    EXPECT_TRUE((*first)->run(feed, first_recorder));
  });
  while (worker.executions("a") == 0) std::this_thread::yield();
  EXPECT_EQ(run({"a"}), RunEnd::kDone);
  thread.join();
  EXPECT_EQ(outcome("a").state, RequestState::kSuccess);
  EXPECT_EQ(outcome("a").attempts, 2);
  EXPECT_EQ(worker.executions("a"), 2);
}

TEST_F(OrchestratorTest, SaysThatNoWorkerLives) {
  {
    FakeWorker gone(root_.path(), [](const std::string& id, int) { return success_text(id); });
  }
  EXPECT_EQ(run({"a"}), RunEnd::kNoWorker);
  EXPECT_FALSE(root_.has("requests/a.json")) << "nothing is dropped before a worker is ready";
}

TEST_F(OrchestratorTest, WatchTakesWhatOthersDropAndIsOneARoot) {
  FakeWorker worker(root_.path(), [](const std::string& id, int n) {
    return n == 1 && id != "early" ? error_text(id, "") : success_text(id);
  });
  ListFeed texts({"early", "late"});
  root_.write("requests/early.json", texts.next()->submission.bytes);
  auto watcher = Orchestrator::open(options_);
  ASSERT_TRUE(watcher);
  std::atomic<int> seen{0};
  recorder_.after_outcome = [&] { ++seen; };
  std::jthread thread([&] {
    const auto end = (*watcher)->watch(recorder_);
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(*end, RunEnd::kInterrupted);
  });
  while (seen < 1) std::this_thread::yield();
  root_.write("requests/late.json", texts.next()->submission.bytes);
  while (seen < 2) std::this_thread::yield();
  auto second = Orchestrator::open(options_);
  Recorder nobody;
  const auto refused = (*second)->watch(nobody);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  (*watcher)->interruption().request();
  thread.join();
  EXPECT_EQ(outcome("late").attempts, 2);
  EXPECT_EQ(outcome("early").attempts, 1);
}

}  // namespace
}  // namespace filecall::client
