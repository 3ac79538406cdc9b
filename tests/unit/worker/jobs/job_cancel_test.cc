// SPDX-License-Identifier: MIT
#include "worker/jobs/job_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/job_runner_fixture.h"

namespace filecall::worker {
namespace {

TEST_F(JobRunnerTest, CancellingWhatACrashInterruptedHidesNoEffects) {
  run("effect", "effect");
  run("pure", "pure");
  begin();
  source_->notice_all();
  EXPECT_EQ(cancel("effect"), CancelResult::kQueued);
  EXPECT_EQ(cancel("pure"), CancelResult::kQueued);
  EXPECT_EQ(code("effect"), ErrorCode::kAborted);
  EXPECT_NE(answer("effect").failure->message.find("effects unknown"), std::string::npos);
  EXPECT_EQ(code("pure"), ErrorCode::kCancelled) << "it would have run again";
  EXPECT_TRUE(root_.starts.empty()) << "answered: no later run must judge them once more";
}

TEST_F(JobRunnerTest, CancelsWhatWaitsWithoutStartingIt) {
  run("a", "effect");
  run("b", "effect");
  drop("queued", "effect");
  turn();
  EXPECT_EQ(cancel("queued"), CancelResult::kQueued);
  EXPECT_EQ(code("queued"), ErrorCode::kCancelled);
  work_.finish("a", Json(1));
  turn();
  EXPECT_FALSE(work_.starts.contains("queued"));
}

TEST_F(JobRunnerTest, StartsNothingThatWasDeletedOrAnsweredElsewhereWhileItWaited) {
  run("a", "effect");
  run("b", "effect");
  for (const char* stem : {"deleted", "answered", "kept"}) drop(stem, "effect");
  turn();
  root_.requests.erase("deleted");
  root_.answers.emplace("answered", "from elsewhere");
  work_.finish("a", Json(1));
  turn();
  EXPECT_FALSE(work_.starts.contains("deleted"));
  EXPECT_FALSE(work_.starts.contains("answered"));
  EXPECT_TRUE(work_.starts.contains("kept")) << "their place is free for the next";
  EXPECT_FALSE(root_.answers.contains("deleted"));
  EXPECT_TRUE(root_.late.empty());
}

TEST_F(JobRunnerTest, CancelsWhatExecutesAndShowsWhatItSaidUntilThen) {
  run("a", "effect");
  EXPECT_EQ(cancel("a"), CancelResult::kExecuting);
  EXPECT_TRUE(work_.running.at("a").is_cancelled);
  EXPECT_FALSE(is_answered("a")) << "not before its end";
  work_.finish("a", Json(1));
  EXPECT_EQ(code("a"), ErrorCode::kCancelled);
  EXPECT_EQ(answer("a").failure->details.at("stdout"), "half");
}

Failure ended_early() {
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "nothing was changed";
  failure.details = {{"changes", "undone"}};
  return failure;
}

TEST_F(JobRunnerTest, AnswersWhatWasDoneThoughItWasCancelledTooLate) {
  run("done", "whole");
  run("broken", "whole");
  cancel("done");
  cancel("broken");
  work_.finish("done", Json(1));
  EXPECT_TRUE(answer("done").is_success());
  work_.finish("broken", Failure::of({ErrorCode::kInternal, "made in part"}));
  EXPECT_EQ(code("broken"), ErrorCode::kInternal);
}

TEST_F(JobRunnerTest, SaysOfWhatWasEndedInTimeThatItChangedNothing) {
  run("a", "whole");
  cancel("a");
  work_.finish("a", ended_early());
  EXPECT_EQ(code("a"), ErrorCode::kCancelled);
  EXPECT_EQ(answer("a").failure->details.at("changes"), "undone");
  run("late", "whole");
  clock_.advance(seconds(6));
  turn();
  work_.finish("late", ended_early());
  EXPECT_EQ(code("late"), ErrorCode::kDeadlineExceeded);
  EXPECT_NE(answer("late").failure->message.find("nothing was changed"), std::string::npos);
}

TEST_F(JobRunnerTest, LeavesPendingWhatAStopEndedBeforeItChangedAnything) {
  run("early", "whole");
  run("done", "whole");
  runner_->interrupt_executing();
  work_.finish("early", ended_early());
  work_.finish("done", Json(1));
  EXPECT_FALSE(is_answered("early"));
  EXPECT_FALSE(root_.starts.contains("early"));
  EXPECT_TRUE(answer("done").is_success());
}

TEST_F(JobRunnerTest, CancelsWhatIsBeingRecordedBeforeItStarts) {
  source_->defer();
  drop("a", "effect");
  turn();
  EXPECT_EQ(cancel("a"), CancelResult::kExecuting);
  while (source_->perform()) {
  }
  EXPECT_EQ(code("a"), ErrorCode::kCancelled);
  EXPECT_TRUE(work_.starts.empty());
  EXPECT_TRUE(root_.starts.empty());
}

TEST_F(JobRunnerTest, GivesBackWhatHasNotBegunAndLeavesWhatRuns) {
  constexpr CancelWish kWish{.only_waiting = true, .withdraws = true};
  run("a", "pure");
  run("b", "effect");
  drop("queued", "effect");
  turn();
  drop("unread", "effect");
  EXPECT_EQ(cancel("a", kWish), CancelResult::kExecuting);
  EXPECT_EQ(cancel("b", kWish), CancelResult::kExecuting);
  EXPECT_EQ(cancel("queued", kWish), CancelResult::kQueued);
  EXPECT_EQ(cancel("unread", kWish), CancelResult::kQueued);
  for (const char* id : {"queued", "unread"}) {
    const Failure failure = *answer(id).failure;
    EXPECT_EQ(failure.code, ErrorCode::kCancelled);
    EXPECT_TRUE(failure.is_retryable());
    EXPECT_EQ(failure.details.at("pause"), true);
    EXPECT_EQ(failure.details.at("started"), false);
  }
  EXPECT_FALSE(work_.running.at("a").is_cancelled);
  work_.finish("a", Json(1));
  EXPECT_TRUE(answer("a").is_success());
}

TEST_F(JobRunnerTest, GivesBackWhatIsBeingRecorded) {
  source_->defer();
  drop("a", "effect");
  turn();
  EXPECT_EQ(cancel("a", {.only_waiting = true, .withdraws = true}), CancelResult::kQueued);
  while (source_->perform()) {
  }
  EXPECT_TRUE(answer("a").failure->is_retryable());
  EXPECT_TRUE(work_.starts.empty());
}

TEST_F(JobRunnerTest, LetsNobodyRepeatWhatWasWithdrawnWhileItHadEffects) {
  run("a", "pure");
  run("b", "effect");
  EXPECT_EQ(cancel("a", {.withdraws = true}), CancelResult::kExecuting);
  EXPECT_EQ(cancel("b", {.withdraws = true}), CancelResult::kExecuting);
  work_.finish("a", Json(1));
  work_.finish("b", Json(1));
  EXPECT_EQ(code("a"), ErrorCode::kCancelled);
  EXPECT_TRUE(answer("a").failure->is_retryable());
  EXPECT_FALSE(answer("a").failure->details.contains("started")) << "it had begun";
  EXPECT_EQ(code("b"), ErrorCode::kAborted);
  EXPECT_FALSE(answer("b").failure->is_retryable());
}

TEST_F(JobRunnerTest, CancelsAtTheSourceWhatItHasNotRead) {
  drop("unread", "effect");
  EXPECT_EQ(cancel("unread"), CancelResult::kQueued);
  EXPECT_EQ(code("unread"), ErrorCode::kCancelled);
  EXPECT_EQ(cancel("unread"), CancelResult::kAnswered);
  EXPECT_EQ(cancel("nothing"), CancelResult::kUnknown);
  source_->set_elsewhere("far", SourceCancel::kEnding);
  EXPECT_EQ(cancel("far"), CancelResult::kExecuting);
  turn();
  EXPECT_TRUE(work_.starts.empty());
}

TEST_F(JobRunnerTest, AnswersACancelWhenTheSourceHasDecided) {
  source_->set_elsewhere("far", SourceCancel::kEnding);
  source_->defer();
  drop("c", "system.cancel", {{"request_id", "far"}});
  turn();
  EXPECT_FALSE(is_answered("c"));
  EXPECT_FALSE(runner_->is_idle());
  clock_.advance(milliseconds(7));
  while (source_->perform()) {
  }
  EXPECT_EQ(answer("c").data.at("state"), "executing");
  EXPECT_EQ(answer("c").timing->run_ms, 7);
  EXPECT_TRUE(runner_->is_idle());
}

TEST_F(JobRunnerTest, GivesBackACancelThatNobodyDecidedBeforeTheStop) {
  source_->defer();
  drop("c", "system.cancel", {{"request_id", "x"}});
  turn();
  runner_->give_back_waiting();
  runner_->interrupt_executing();
  EXPECT_TRUE(runner_->is_idle());
  EXPECT_FALSE(source_->is_held("c"));
  while (source_->perform()) {
  }
  EXPECT_FALSE(is_answered("c"));
}

}  // namespace
}  // namespace filecall::worker
