// SPDX-License-Identifier: MIT
#include "worker/jobs/job_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ipc/limits.h"
#include "tests/unit/worker/jobs/job_runner_fixture.h"

namespace filecall::worker {
namespace {

using testing::HasSubstr;

TEST_F(JobRunnerTest, CarriesARequestFromItsArrivalToItsAnswer) {
  drop("a", "effect", {{"x", 1}});
  turn();
  EXPECT_EQ(root_.starts.at("a"), (StartRecord{1, Effects::kExternal})) << "before it happens";
  ASSERT_TRUE(work_.running.contains("a"));
  EXPECT_FALSE(is_answered("a"));
  clock_.advance(milliseconds(30));
  work_.finish("a", Json{{"y", 2}});
  const Response response = answer("a");
  EXPECT_TRUE(response.is_success());
  EXPECT_EQ(response.data, (Json{{"y", 2}}));
  EXPECT_EQ(response.metadata, (Json{{"of", "a"}}));
  EXPECT_EQ(response.worker, "w1");
  EXPECT_EQ(response.timing->run_ms, 30);
  EXPECT_TRUE(root_.starts.empty());
  EXPECT_FALSE(source_->is_held("a"));
  EXPECT_TRUE(runner_->is_idle());
  EXPECT_EQ(session_.successes, 1);
  EXPECT_EQ(session_.undelivered, 0u);
}

TEST_F(JobRunnerTest, AnswersCommandsWithoutADestinationAtOnceAndRecordsNoStart) {
  source_->defer();
  drop("a", "inline", {{"x", 1}});
  turn();
  EXPECT_TRUE(root_.starts.empty());
  while (source_->perform()) {
  }
  EXPECT_EQ(answer("a").data, (Json{{"x", 1}}));
}

TEST_F(JobRunnerTest, AnswersBadInputInsteadOfDroppingIt) {
  root_.requests["broken"] = "{";
  source_->notice("broken");
  drop("unknown", "no.such");
  drop("refused", "pure", {{"bad", true}});
  turn();
  EXPECT_EQ(code("broken"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("unknown"), ErrorCode::kUnimplemented);
  EXPECT_EQ(code("refused"), ErrorCode::kPermissionDenied);
  EXPECT_EQ(session_.errors, 3);
  EXPECT_TRUE(work_.starts.empty());
}

TEST_F(JobRunnerTest, StartsNothingBeforeItsStartIsRecorded) {
  source_->defer();
  drop("a", "effect");
  turn();
  EXPECT_TRUE(work_.running.empty());
  ASSERT_TRUE(source_->perform());
  EXPECT_TRUE(root_.starts.contains("a"));
  EXPECT_TRUE(work_.running.empty()) << "recorded, but nobody has said so";
  ASSERT_TRUE(source_->perform());
  EXPECT_TRUE(work_.running.contains("a"));
}

TEST_F(JobRunnerTest, StartsNothingThatWasGivenBackWhileItsStartWasRecorded) {
  source_->defer();
  drop("a", "effect");
  turn();
  runner_->give_back_starting();
  while (source_->perform()) {
  }
  EXPECT_TRUE(work_.starts.empty());
  EXPECT_TRUE(root_.starts.empty());
  EXPECT_FALSE(is_answered("a"));
  EXPECT_FALSE(source_->is_held("a"));
  EXPECT_TRUE(runner_->is_idle());
}

TEST_F(JobRunnerTest, AnswersUnavailableWhenAStartCannotBeRecorded) {
  source_->refuse_starts(Error{ErrorCode::kResourceExhausted, "disk full"});
  drop("a", "effect");
  turn();
  EXPECT_EQ(code("a"), ErrorCode::kUnavailable);
  EXPECT_THAT(answer("a").failure->message, HasSubstr("disk full"));
  EXPECT_TRUE(answer("a").failure->is_retryable());
  EXPECT_TRUE(work_.starts.empty());
  EXPECT_TRUE(root_.starts.empty());
}

TEST_F(JobRunnerTest, RunsAgainWhatHasNoEffectsAndAnswersWhatMayHaveHadThem) {
  run("pure", "pure");
  run("effect", "effect");
  work_ = {};
  begin();
  source_->notice_all();
  turn();
  EXPECT_EQ(code("effect"), ErrorCode::kAborted);
  EXPECT_FALSE(answer("effect").failure->is_retryable());
  ASSERT_TRUE(work_.running.contains("pure"));
  EXPECT_EQ(root_.starts.at("pure").starts, 2);
  work_ = {};
  begin();
  source_->notice_all();
  turn();
  EXPECT_EQ(code("pure"), ErrorCode::kAborted) << "crashed the worker twice";
  EXPECT_TRUE(work_.starts.empty());
  EXPECT_TRUE(root_.starts.empty());
}

TEST_F(JobRunnerTest, EndsWhatTakesLongerThanItMay) {
  run("a", "hasty");
  EXPECT_EQ(runner_->next_wake(clock_.monotonic()),
            Deadline::after(clock_.monotonic(), seconds(5)));
  clock_.advance(seconds(5));
  turn();
  EXPECT_TRUE(work_.running.at("a").is_cancelled);
  work_.finish("a", Json(1));
  EXPECT_EQ(code("a"), ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(answer("a").failure->message, HasSubstr("5s"));
}

TEST_F(JobRunnerTest, TakesTheSmallerOfBothTimeLimits) {
  const Json request{
      {"request_id", "a"}, {"command", "hasty"}, {"params", Json::object()}, {"timeout_ms", 100}};
  root_.requests["a"] = dump_json(request);
  source_->notice("a");
  turn();
  clock_.advance(milliseconds(100));
  turn();
  EXPECT_TRUE(work_.running.at("a").is_cancelled);
}

TEST_F(JobRunnerTest, GivesBackWhatWaitsAndEndsWhatExecutesAtAStop) {
  run("pure", "pure");
  run("effect", "effect");
  drop("waiting", "effect");
  turn();
  runner_->give_back_waiting();
  EXPECT_FALSE(is_answered("waiting"));
  EXPECT_FALSE(source_->is_held("waiting"));
  runner_->interrupt_executing();
  work_.finish("pure", Json(1));
  work_.finish("effect", Json(1));
  EXPECT_FALSE(is_answered("pure")) << "it stays pending";
  EXPECT_FALSE(root_.starts.contains("pure")) << "a stop is no crash";
  EXPECT_EQ(code("effect"), ErrorCode::kAborted);
  EXPECT_TRUE(runner_->is_idle());
}

TEST_F(JobRunnerTest, LeavesTheRecordsOfEffectsWhenItIsAbandoned) {
  run("pure", "pure");
  run("effect", "effect");
  runner_->abandon_executing();
  EXPECT_FALSE(root_.starts.contains("pure"));
  EXPECT_TRUE(root_.starts.contains("effect"));
}

TEST_F(JobRunnerTest, KeepsTheRecordOfAnEarlierStartThroughAStop) {
  root_.starts["a"] = {1, Effects::kNone};
  begin();
  run("b", "effect");
  run("c", "effect");
  drop("a", "pure");
  turn();
  runner_->give_back_waiting();
  EXPECT_EQ(root_.starts.at("a").starts, 1) << "it did crash a worker once";
}

TEST_F(JobRunnerTest, HoldsBackAStartWhenItsDestinationAsksForAPauseMeanwhile) {
  run("a", "effect");
  source_->defer();
  drop("b", "effect");
  turn();
  Failure busy;
  busy.code = ErrorCode::kResourceExhausted;
  busy.message = "slow down";
  busy.retry_after_ms = 4000;
  work_.finish("a", busy);
  while (source_->perform()) {
  }
  EXPECT_FALSE(work_.running.contains("b"));
  EXPECT_FALSE(root_.starts.contains("b")) << "a crash in the pause finds no start";
  EXPECT_EQ(runner_->waiting(), 1u);
  clock_.advance(seconds(4));
  turn();
  while (source_->perform()) {
  }
  EXPECT_TRUE(work_.running.contains("b"));
  EXPECT_EQ(root_.starts.at("b").starts, 1);
}

TEST_F(JobRunnerTest, LetsAnotherBeginWhenOneGivesUpItsPlace) {
  run("a", "effect");
  run("b", "effect");
  drop("c", "effect");
  turn();
  ASSERT_FALSE(work_.running.contains("c"));
  const auto before = runner_->endings();
  work_.running.at("a").yield_place();
  EXPECT_GT(runner_->endings(), before);
  turn();
  EXPECT_TRUE(work_.running.contains("c"));
}

TEST_F(JobRunnerTest, ReadsABodyAgainThatItDroppedWhileMemoryWasShort) {
  run("a", "effect");
  run("b", "effect");
  Arrival large;
  large.stem = "large";
  large.bytes = limits::kWaitingBytesMax + 1;
  root_.requests["large"] = R"({"request_id":"large","command":"pure","params":{"n":1}})";
  source_->notice("large");
  auto arrival = source_->next(clock_.monotonic());
  ASSERT_TRUE(arrival);
  arrival->bytes = limits::kWaitingBytesMax + 1;
  runner_->accept(session_, std::move(*arrival), clock_.monotonic());
  root_.requests["large"] = R"({"request_id":"large","command":"effect","params":{"n":2}})";
  work_.finish("a", Json(1));
  turn();
  ASSERT_TRUE(work_.running.contains("large"));
  EXPECT_EQ(root_.starts.at("large").effects, Effects::kExternal) << "what runs is what is checked";
}

TEST_F(JobRunnerTest, LetsAWithdrawnRequestGoAndAnswersOneThatBecameBad) {
  run("a", "effect");
  run("b", "effect");
  for (const char* stem : {"gone", "bad"}) {
    drop(stem, "pure");
    auto arrival = source_->next(clock_.monotonic());
    ASSERT_TRUE(arrival);
    arrival->bytes = limits::kWaitingBytesMax + 1;
    runner_->accept(session_, std::move(*arrival), clock_.monotonic());
  }
  root_.requests.erase("gone");
  root_.requests["bad"] = "{";
  work_.finish("a", Json(1));
  work_.finish("b", Json(1));
  turn();
  EXPECT_FALSE(is_answered("gone"));
  EXPECT_FALSE(source_->is_held("gone"));
  EXPECT_EQ(code("bad"), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(runner_->is_idle());
}

TEST_F(JobRunnerTest, LooksAgainForARequestThatWaited) {
  run("a", "effect");
  run("b", "effect");
  for (const char* stem : {"gone", "answered", "there"}) drop(stem, "pure");
  turn();
  root_.requests.erase("gone");
  root_.answers["answered"] = R"({"request_id":"answered","status":"success","data":1})";
  work_.finish("a", Json(1));
  work_.finish("b", Json(1));
  turn();
  EXPECT_FALSE(work_.starts.contains("gone"));
  EXPECT_FALSE(work_.starts.contains("answered"));
  EXPECT_TRUE(work_.running.contains("there"));
  EXPECT_FALSE(source_->is_held("gone"));
}

TEST_F(JobRunnerTest, LooksForTheAnswerOfWhatMayRepeatEvenWhenItDidNotWait) {
  ASSERT_TRUE(registry_->add(
      std::make_unique<FakeExecutor>(work_, "again", Effects::kNone, "d", Duration::zero(), true)));
  drop("a", "again");
  auto arrival = source_->next(clock_.monotonic());
  ASSERT_TRUE(arrival);
  runner_->accept(session_, std::move(*arrival), clock_.monotonic());
  root_.answers["a"] = R"({"request_id":"a","status":"success","data":1})";
  turn();
  EXPECT_FALSE(work_.starts.contains("a"));
  EXPECT_EQ(answer("a").data, Json(1));
  EXPECT_TRUE(runner_->is_idle());
}

TEST_F(JobRunnerTest, KeepsALateAnswerAsideAndDoesNotCountIt) {
  run("a", "effect");
  root_.answers["a"] = R"({"request_id":"a","status":"success","data":1})";
  work_.finish("a", Json(2));
  EXPECT_EQ(answer("a").data, Json(1));
  EXPECT_THAT(root_.late.at("a"), testing::ElementsAre(HasSubstr("\"data\":2")));
  EXPECT_EQ(session_.successes, 0);
  EXPECT_FALSE(source_->is_held("a"));
}

TEST_F(JobRunnerTest, HoldsAnAnswerUntilItIsDelivered) {
  source_->refuse_answers(Error{ErrorCode::kResourceExhausted, "disk full"});
  run("a", "effect");
  work_.finish("a", Json(1));
  EXPECT_FALSE(is_answered("a"));
  EXPECT_EQ(source_->state().problem, "disk full");
  EXPECT_EQ(session_.undelivered, 1u);
  EXPECT_TRUE(source_->is_held("a"));
  source_->refuse_answers(std::nullopt);
  clock_.advance(seconds(1));
  turn();
  EXPECT_TRUE(is_answered("a"));
  EXPECT_EQ(session_.undelivered, 0u);
  EXPECT_FALSE(source_->is_held("a"));
}

TEST_F(JobRunnerTest, RenewsTheLeasesOfWhatItWorksOn) {
  source_->set_lease(seconds(30));
  run("a", "effect");
  for (int i = 0; i < 10; ++i) {
    clock_.advance(seconds(10));
    EXPECT_LE(runner_->next_wake(clock_.monotonic()).when(), clock_.monotonic());
    turn();
    EXPECT_TRUE(source_->is_held("a"));
  }
  EXPECT_EQ(work_.starts["a"], 1);
}

TEST_F(JobRunnerTest, HandsEventsToTheSource) {
  run("a", "effect");
  work_.running.at("a").open_events()->write({{"event", "half"}});
  EXPECT_THAT(root_.events.at("a"), testing::ElementsAre(Json{{"event", "half"}}));
}

TEST_F(JobRunnerTest, EndsEventsWithHowTheRequestEndedWhoeverEndedIt) {
  run("a", "effect");
  work_.running.at("a").open_events();
  work_.finish("a", Json{{"x", 1}});
  EXPECT_THAT(root_.events.at("a"),
              testing::ElementsAre(Json{{"event", "finished"}, {"status", "success"}}));
  run("b", "effect");
  work_.running.at("b").open_events();
  runner_->cancel("/root", 0, "b", {}, [](CancelResult) {});
  work_.finish("b", Json::object());
  EXPECT_THAT(root_.events.at("b"),
              testing::ElementsAre(
                  Json{{"event", "finished"}, {"status", "error"}, {"error_code", "cancelled"}}));
}

}  // namespace
}  // namespace filecall::worker
