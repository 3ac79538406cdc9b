// SPDX-License-Identifier: MIT
#include "client/service/request_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "client/service/earlier_use.h"
#include "os/clock.h"
#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

Request request(const std::string& id) {
  Request made;
  made.request_id = id;
  made.command = "system.echo";
  return made;
}

class RequestServiceTest : public ::testing::Test {
 protected:
  RequestServiceTest() {
    options_.root = root_.path();
    options_.worker_use = WorkerUse::kNone;
    options_.durability = Durability::kNone;
    options_.retry.attempts_max = 1;
    options_.cold_start_delay = Duration::zero();
    options_.worker_patience = milliseconds(100);
    options_.seed = 1;
  }
  std::unique_ptr<RequestService> open() {
    auto service = RequestService::open(options_);
    EXPECT_TRUE(service) << service.error().message;
    return std::move(*service);
  }
  static Submission submission(const std::string& id) { return *submission_of(request(id)); }
  RequestService::Waited wait(RequestService& service, const std::string& id,
                              Deadline until = Deadline::never()) {
    auto waited = service.wait(id, until, recorder_);
    EXPECT_TRUE(waited) << waited.error().message;
    return waited.value_or(RequestService::Waited{});
  }

  TemporaryRoot root_;
  OrchestratorOptions options_;
  Recorder recorder_;
};

TEST_F(RequestServiceTest, SeveralAreInFlightAndEachIsWaitedForByItself) {
  FakeWorker worker(root_.path(), [](const std::string& id, int) {
    return id == "bad" ? error_text(id, R"(,"retryable":false)") : success_text(id);
  });
  const auto service = open();
  for (const char* id : {"a", "bad", "b"}) ASSERT_TRUE(service->submit(submission(id)));
  EXPECT_EQ(wait(*service, "b").outcome->state, RequestState::kSuccess);
  const auto bad = wait(*service, "bad");
  EXPECT_EQ(bad.outcome->state, RequestState::kGaveUp);
  EXPECT_TRUE(root_.has("failed/bad.json"));
  const auto a = wait(*service, "a");
  ASSERT_TRUE(a.outcome && a.outcome->response);
  EXPECT_TRUE(a.outcome->response->is_success());
  const auto again = service->wait("a", Deadline::never(), recorder_);
  ASSERT_FALSE(again) << "an outcome is handed out once";
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
}

TEST_F(RequestServiceTest, WaitingEndsAtTheDeadlineAndGoesOnLater) {
  std::atomic<bool> answers{false};
  FakeWorker worker(root_.path(), [&](const std::string& id, int) -> std::optional<std::string> {
    while (!answers) std::this_thread::yield();
    return success_text(id);
  });
  const auto service = open();
  ASSERT_TRUE(service->submit(submission("slow")));
  const auto early = wait(*service, "slow", Deadline::after(monotonic_now(), milliseconds(20)));
  answers = true;
  EXPECT_FALSE(early.outcome);
  EXPECT_EQ(early.end, RunEnd::kDone);
  EXPECT_EQ(wait(*service, "slow").outcome->state, RequestState::kSuccess);
}

TEST_F(RequestServiceTest, AnIdThatAnotherRequestHasIsRefusedBeforeAnythingHappens) {
  root_.write("requests/a.json", R"({"request_id":"a","command":"other","params":{}})");
  root_.write("requests/b.json", R"({"params":{},"command":"system.echo","request_id":"b"})");
  const auto service = open();
  const auto refused = service->submit(submission("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(refused.error().message, HasSubstr("'a'"));
  EXPECT_TRUE(service->submit(submission("b"))) << "the same request, written otherwise";
}

TEST_F(RequestServiceTest, AnInterruptionEndsTheWaitAndKeepsTheRequest) {
  FakeWorker worker(root_.path(), [](const std::string&, int) -> std::optional<std::string> {
    return std::nullopt;
  });
  const auto service = open();
  ASSERT_TRUE(service->submit(submission("a")));
  std::jthread stopper([&] {
    while (!root_.has("requests/a.json")) std::this_thread::yield();
    service->interruption().request();
  });
  const auto waited = wait(*service, "a");
  EXPECT_EQ(waited.end, RunEnd::kInterrupted);
  EXPECT_FALSE(waited.outcome);
}

TEST_F(RequestServiceTest, WhatNobodySubmittedIsNotWaitedFor) {
  const auto service = open();
  const auto waited = service->wait("a", Deadline::never(), recorder_);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kNotFound);
}

TEST_F(RequestServiceTest, ABatchEndsAtALimitThatCountsEarlierRuns) {
  FakeWorker worker(root_.path(), [](const std::string& id, int) {
    return error_text(id, R"(,"retryable":false)");
  });
  const auto feeds = [](std::vector<std::string> ids) {
    return [ids]() -> Result<std::unique_ptr<SubmissionFeed>> {
      return std::unique_ptr<SubmissionFeed>(std::make_unique<ListFeed>(ids));
    };
  };
  options_.window = 1;
  ListFeed first({"a"});
  ASSERT_TRUE(open()->run(first, feeds({"a"}), recorder_));
  options_.limits.errors = 2;
  ListFeed all({"a", "b", "c"});
  const auto ended = open()->run(all, feeds({"a", "b", "c"}), recorder_);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, RunEnd::kLimit);
  EXPECT_THAT(ended->limit_reason, HasSubstr("1 request is left"));
  EXPECT_FALSE(root_.has("requests/c.json"));
}

TEST_F(RequestServiceTest, WhatNoRowTellsOfHasUsedWhatItsLastAnswerSays) {
  constexpr const char* kUsed = R"({"request_id":"%","status":"success","data":)"
                                R"({"usage":{"input_tokens":7,"output_tokens":2}}})";
  const auto text = [&](const std::string& id) {
    std::string out = kUsed;
    return out.replace(out.find('%'), 1, id);
  };
  for (const char* id : {"answered", "fresh"}) {
    root_.write(std::string("requests/") + id + ".json", "{}");
  }
  root_.write("responses/answered.json", text("answered"));
  const auto ledger = Ledger::open({.root = root_.path(), .durability = Durability::kNone});
  ASSERT_TRUE(ledger);
  ListFeed feed({"answered", "fresh", "unheard-of"});
  const auto totals = earlier_use(**ledger, spool::Layout(root_.path()), TokenPrices(), feed);
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->spend.tokens(), 9);
}

TEST(NewRequestId, SortsByTimeAndIsNewEveryTime) {
  EXPECT_THAT(new_request_id("call"), MatchesRegex("call-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}"));
  EXPECT_NE(new_request_id("call"), new_request_id("call"));
}

TEST(SubmissionOf, RefusesWhatIsNoRequest) {
  EXPECT_FALSE(submission_of(request("a/b")));
  const auto made = submission_of(request("a"));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->bytes.ends_with('\n'));
}

}  // namespace
}  // namespace filecall::client
