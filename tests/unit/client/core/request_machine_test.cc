// SPDX-License-Identifier: MIT
#include "client/core/request_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using ::testing::ElementsAre;

const WallTime kNow{seconds(1'000'000)};
constexpr AnswerVersion kOld{1, 10, 100};
constexpr AnswerVersion kFresh{2, 20, 200};

RequestProgress at(Stage stage, int attempt = 1) {
  RequestProgress progress;
  progress.attempt = stage == Stage::kNew ? 0 : attempt;
  progress.changed_at = kNow - seconds(1);
  switch (stage) {
    case Stage::kNew:
      break;
    case Stage::kPolling:
    case Stage::kTimingOut:
    case Stage::kCancelling:
      progress.state = RequestState::kPolling;
      if (stage == Stage::kTimingOut) progress.cancel = CancelMark::kTimeout;
      if (stage == Stage::kCancelling) progress.cancel = CancelMark::kUser;
      break;
    case Stage::kWaiting:
      progress.state = RequestState::kWaiting;
      progress.counted_response = kOld;
      progress.error_code = ErrorCode::kUnavailable;
      progress.due_at = kNow + seconds(3);
      break;
    case Stage::kSuccess:
      progress.state = RequestState::kSuccess;
      break;
    case Stage::kGaveUp:
      progress.state = RequestState::kGaveUp;
      progress.counted_response = kOld;
      progress.error_code = ErrorCode::kUnavailable;
      progress.copied = true;
      break;
  }
  return progress;
}

Event on(EventKind kind) {
  Event event{.kind = kind, .version = kFresh};
  event.code = kind == EventKind::kResponseUnreadable ? ErrorCode::kDataLoss : ErrorCode::kUnknown;
  return event;
}

Transition go(const RequestProgress& from, const Event& event, int attempts_max = 3) {
  Random random(7);
  const RetryPolicy policy{.attempts_max = attempts_max, .backoff_base = seconds(1)};
  return step(from, event, policy, kNow, random);
}

std::vector<ActionKind> kinds(const Transition& transition) {
  std::vector<ActionKind> out;
  for (const Action& action : transition.actions) out.push_back(action.kind);
  return out;
}

// The whole table, as stages: what attempt 1 of 3 becomes.
TEST(RequestMachine, MovesEveryStageOnEveryEventAsTheTableSays) {
  using enum Stage;
  constexpr Stage kNext[kStageCount][kEventCount] = {
      // submit    success   error     unreadbl  timeout   canc-out  backoff   retry     cancel
      //   response-gone request-gone copied refuse
      {kPolling, kSuccess, kWaiting, kWaiting, kNew, kNew, kNew, kNew, kGaveUp, kNew, kGaveUp, kNew,
       kGaveUp},
      {kPolling, kSuccess, kWaiting, kWaiting, kTimingOut, kPolling, kPolling, kPolling,
       kCancelling, kPolling, kGaveUp, kPolling, kPolling},
      {kTimingOut, kSuccess, kWaiting, kWaiting, kTimingOut, kWaiting, kTimingOut, kTimingOut,
       kCancelling, kTimingOut, kGaveUp, kTimingOut, kTimingOut},
      {kCancelling, kSuccess, kGaveUp, kGaveUp, kCancelling, kGaveUp, kCancelling, kCancelling,
       kCancelling, kCancelling, kGaveUp, kCancelling, kCancelling},
      {kWaiting, kSuccess, kWaiting, kWaiting, kWaiting, kWaiting, kPolling, kPolling, kGaveUp,
       kPolling, kGaveUp, kWaiting, kWaiting},
      {kSuccess, kSuccess, kSuccess, kSuccess, kSuccess, kSuccess, kSuccess, kSuccess, kSuccess,
       kSuccess, kSuccess, kSuccess, kSuccess},
      {kGaveUp, kGaveUp, kGaveUp, kGaveUp, kGaveUp, kGaveUp, kGaveUp, kNew, kGaveUp, kGaveUp,
       kGaveUp, kGaveUp, kGaveUp},
  };
  for (int stage = 0; stage < kStageCount; ++stage) {
    for (int event = 0; event < kEventCount; ++event) {
      const RequestProgress from = at(static_cast<Stage>(stage));
      const Transition t = go(from, on(static_cast<EventKind>(event)));
      EXPECT_EQ(static_cast<int>(stage_of(t.next)), static_cast<int>(kNext[stage][event]))
          << "stage " << stage << ", event " << event;
      EXPECT_EQ(t.is_changed, !(t.next == from)) << "stage " << stage << ", event " << event;
    }
  }
}

TEST(RequestMachine, DropsAndArmsOnTheFirstAttempt) {
  const Transition t = go(at(Stage::kNew), on(EventKind::kSubmit));
  EXPECT_EQ(t.next.attempt, 1);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kDropRequest, ActionKind::kArmAttemptTimeout));
}

TEST(RequestMachine, GivesUpWhatIsRefusedWithoutAnAttempt) {
  Event event = on(EventKind::kRefuse);
  event.code = ErrorCode::kFailedPrecondition;
  event.message = "not asked";
  const Transition t = go(at(Stage::kNew), event);
  EXPECT_EQ(t.next.attempt, 0);
  EXPECT_EQ(t.next.error_code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(t.next.error_message, "not asked");
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kWriteOwnFailure));
  EXPECT_TRUE(is_never_asked(t.next));
  EXPECT_FALSE(is_never_asked(at(Stage::kGaveUp)));
}

TEST(RequestMachine, DeletesTheCountedResponseBeforeTheNextAttempt) {
  const Transition t = go(at(Stage::kWaiting), on(EventKind::kBackoffElapsed));
  EXPECT_EQ(t.next.attempt, 2);
  EXPECT_EQ(t.next.counted_response, kOld) << "a crash before the deletion must not count it again";
  ASSERT_THAT(kinds(t), ElementsAre(ActionKind::kDeleteResponse, ActionKind::kArmAttemptTimeout));
  EXPECT_EQ(t.actions[0].version, kOld);
}

TEST(RequestMachine, CountsNoErrorResponseTwice) {
  RequestProgress polling = at(Stage::kPolling, 2);
  polling.counted_response = kFresh;
  const Transition t = go(polling, on(EventKind::kResponseError));
  EXPECT_EQ(t.next, polling);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kDeleteResponse));
}

TEST(RequestMachine, KnowsACountedResponseThatWasRestored) {
  RequestProgress polling = at(Stage::kPolling, 2);
  polling.counted_response = kFresh;
  Event event = on(EventKind::kResponseError);
  event.version.copy += 1;
  EXPECT_NE(go(polling, event).next, polling) << "another file at the same instant is another one";
  event.version.is_restored = true;
  const Transition t = go(polling, event);
  EXPECT_EQ(t.next, polling);
  ASSERT_THAT(kinds(t), ElementsAre(ActionKind::kDeleteResponse));
  EXPECT_EQ(t.actions[0].version, event.version) << "the file that is there now";
  event.version.content[0] += 1;
  EXPECT_NE(go(polling, event).next, polling) << "what was restored is another answer";
}

TEST(RequestMachine, GivesUpAfterTheLastAttemptAndKeepsTheResponse) {
  const Transition t = go(at(Stage::kPolling, 3), on(EventKind::kResponseError));
  EXPECT_EQ(t.next.state, RequestState::kGaveUp);
  EXPECT_EQ(t.next.attempt, 3);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kCopyResponse));
}

TEST(RequestMachine, GivesUpAtOnceWhenTheErrorIsNotRetryable) {
  Event event = on(EventKind::kResponseError);
  event.retryable = false;
  const Transition t = go(at(Stage::kPolling), event);
  EXPECT_EQ(t.next.state, RequestState::kGaveUp);
  EXPECT_EQ(t.next.attempt, 1);
}

TEST(RequestMachine, TakesRetryAfterAsTheWaitsFloor) {
  Event event = on(EventKind::kResponseError);
  event.retry_after = seconds(42);
  const Transition t = go(at(Stage::kPolling), event);
  EXPECT_EQ(t.next.due_at, kNow + seconds(42));
  ASSERT_THAT(kinds(t), ElementsAre(ActionKind::kArmBackoff));
  EXPECT_EQ(t.actions[0].delay, seconds(42));
}

Event limited(Duration retry_after) {
  Event event = on(EventKind::kResponseError);
  event.code = ErrorCode::kResourceExhausted;
  event.retry_after = retry_after;
  return event;
}

TEST(RequestMachine, DoesNotCountAnAttemptThatWasToldWhenToComeBack) {
  RequestProgress progress = at(Stage::kPolling, 3);
  for (int i = 1; i <= 5; ++i) {
    const Transition told = go(progress, limited(seconds(42)));
    ASSERT_EQ(told.next.state, RequestState::kWaiting) << "the third of three attempts, paused";
    EXPECT_EQ(told.next.due_at, kNow + seconds(42));
    EXPECT_EQ(told.next.pauses, i);
    EXPECT_EQ(told.next.paused, seconds(42 * i));
    EXPECT_EQ(told.next.counted_attempts(), 2);
    progress = go(told.next, on(EventKind::kBackoffElapsed)).next;
    ASSERT_EQ(progress.state, RequestState::kPolling);
    EXPECT_EQ(progress.attempt, 3 + i) << "the names of cancels and kept files stay apart";
    EXPECT_EQ(progress.counted_attempts(), 3);
    progress.counted_response.reset();
  }
  EXPECT_EQ(go(progress, on(EventKind::kResponseError)).next.state, RequestState::kGaveUp);
}

TEST(RequestMachine, CountsWhatIsToldToWaitForTooLong) {
  RequestProgress progress = at(Stage::kPolling);
  progress.paused = std::chrono::hours(1) - seconds(41);
  const Transition t = go(progress, limited(seconds(42)));
  EXPECT_EQ(t.next.pauses, 0);
  EXPECT_EQ(t.next.counted_attempts(), 1);
  EXPECT_EQ(t.next.due_at, kNow + seconds(42)) << "it is told to wait all the same";
}

TEST(RequestMachine, CountsALimitThatNoRetryCanPass) {
  Event event = limited(seconds(42));
  event.retryable = false;
  EXPECT_EQ(go(at(Stage::kPolling), event).next.state, RequestState::kGaveUp);
}

TEST(RequestMachine, CountsAnAttemptThatWasOutOfTimeBeforeItWasToldToWait) {
  const Transition t = go(at(Stage::kTimingOut), limited(seconds(42)));
  EXPECT_EQ(t.next.state, RequestState::kWaiting);
  EXPECT_EQ(t.next.pauses, 0);
}

/// Of a request that its worker did not start.
Response never_begun(ErrorCode code) {
  Response response;
  response.failure.emplace();
  response.failure->code = code;
  response.failure->retryable = true;
  response.failure->details = {{"pause", true}, {"started", false}};
  return response;
}

TEST(RequestMachine, TakesBackAnAttemptThatNeverBegan) {
  Response response = never_begun(ErrorCode::kCancelled);
  const Transition t = go(at(Stage::kPolling, 2), event_of(response, kFresh));
  EXPECT_EQ(t.next.state, RequestState::kWaiting);
  EXPECT_EQ(t.next.begun_attempts(), 1);
  EXPECT_EQ(t.next.counted_attempts(), 1);
  EXPECT_EQ(t.next.attempt, 2) << "the next cancel request needs another id";
  response.failure->details.erase("started");
  EXPECT_EQ(go(at(Stage::kPolling, 2), event_of(response, kFresh)).next.begun_attempts(), 2);
}

TEST(RequestMachine, CountsNoAttemptThatAFullDiskKeptFromStarting) {
  const Transition t =
      go(at(Stage::kPolling), event_of(never_begun(ErrorCode::kUnavailable), kFresh));
  EXPECT_EQ(t.next.state, RequestState::kWaiting);
  EXPECT_EQ(t.next.counted_attempts(), 0);
  EXPECT_EQ(t.next.begun_attempts(), 0);
}

TEST(RequestMachine, ForgetsPausesWhenSomebodyAsksAnew) {
  RequestProgress given_up = at(Stage::kGaveUp, 5);
  given_up.pauses = 2;
  given_up.given_back = 1;
  given_up.paused = seconds(9);
  const Transition t = go(given_up, on(EventKind::kUserRetry));
  EXPECT_EQ(t.next.pauses, 0);
  EXPECT_EQ(t.next.given_back, 0);
  EXPECT_EQ(t.next.paused, Duration::zero());
}

TEST(RequestMachine, CancelsAnAttemptThatIsOutOfTime) {
  const Transition t = go(at(Stage::kPolling), on(EventKind::kAttemptTimeout));
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kSendCancel, ActionKind::kArmCancelTimeout));
}

TEST(RequestMachine, CallsACancelledTimeOutDeadlineExceededAndTriesAgain) {
  Event cancelled = on(EventKind::kResponseError);
  cancelled.code = ErrorCode::kCancelled;
  cancelled.retryable = false;
  const Transition t = go(at(Stage::kTimingOut), cancelled);
  EXPECT_EQ(t.next.state, RequestState::kWaiting);
  EXPECT_EQ(t.next.error_code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(t.next.counted_response, kFresh);
}

TEST(RequestMachine, WritesItsOwnFailureWhenNoResponseEverCame) {
  const Transition t = go(at(Stage::kTimingOut, 3), on(EventKind::kCancelTimeout));
  EXPECT_EQ(t.next.state, RequestState::kGaveUp);
  EXPECT_EQ(t.next.error_code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kWriteOwnFailure));
}

TEST(RequestMachine, DoesNotChargeALateCancellationToTheNextAttempt) {
  RequestProgress polling = at(Stage::kPolling, 2);
  polling.cancel = CancelMark::kLate;
  Event cancelled = on(EventKind::kResponseError);
  cancelled.code = ErrorCode::kCancelled;
  cancelled.retryable = false;
  const Transition t = go(polling, cancelled);
  EXPECT_EQ(t.next.state, RequestState::kPolling);
  EXPECT_EQ(t.next.attempt, 2);
  EXPECT_EQ(t.next.cancel, CancelMark::kNone);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kDeleteResponse));
}

TEST(RequestMachine, TakesALateSuccess) {
  for (const Stage stage : {Stage::kTimingOut, Stage::kCancelling, Stage::kWaiting}) {
    const Transition t = go(at(stage), on(EventKind::kResponseSuccess));
    EXPECT_EQ(t.next.state, RequestState::kSuccess);
    EXPECT_TRUE(t.actions.empty());
    EXPECT_FALSE(t.next.error_code);
  }
}

TEST(RequestMachine, KeepsAnUnreadableResponseBeforeItMayBeDeleted) {
  const Transition t = go(at(Stage::kPolling), on(EventKind::kResponseUnreadable));
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kSetAsideResponse, ActionKind::kArmBackoff));
  EXPECT_EQ(t.next.error_code, ErrorCode::kDataLoss);
}

TEST(RequestMachine, RevivesWithAllAttemptsAndKeepsTheOutcomeUntilThereIsANewOne) {
  const Transition t = go(at(Stage::kGaveUp, 3), on(EventKind::kUserRetry));
  EXPECT_EQ(t.next.attempt, 0);
  EXPECT_EQ(t.next.counted_response, kOld);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kDeleteResponse));
  EXPECT_EQ(t.next.error_code, ErrorCode::kUnavailable);
  EXPECT_TRUE(t.next.copied);
  const Transition again = go(t.next, on(EventKind::kSubmit));
  EXPECT_THAT(kinds(again), ElementsAre(ActionKind::kDeleteResponse, ActionKind::kDropRequest,
                                        ActionKind::kArmAttemptTimeout));
  const Transition succeeded = go(again.next, on(EventKind::kResponseSuccess));
  EXPECT_THAT(kinds(succeeded), ElementsAre(ActionKind::kRemoveFailedCopy));
  EXPECT_FALSE(succeeded.next.copied);
  const Transition failed = go(again.next, on(EventKind::kResponseError), 1);
  EXPECT_THAT(kinds(failed), ElementsAre(ActionKind::kCopyResponse));
  EXPECT_FALSE(failed.next.copied);
}

TEST(RequestMachine, FinishesAnInterruptedCopy) {
  RequestProgress given_up = at(Stage::kGaveUp, 3);
  given_up.copied = false;
  EXPECT_THAT(kinds(go(given_up, on(EventKind::kSubmit))), ElementsAre(ActionKind::kCopyResponse));
  given_up.counted_response.reset();
  EXPECT_THAT(kinds(go(given_up, on(EventKind::kSubmit))),
              ElementsAre(ActionKind::kWriteOwnFailure));
  EXPECT_TRUE(go(at(Stage::kGaveUp), on(EventKind::kSubmit)).actions.empty());
}

TEST(RequestMachine, WaitsNoLongerThanMeantWhenTheWallClockWentBack) {
  RequestProgress waiting = at(Stage::kWaiting);
  waiting.changed_at = kNow + seconds(1000);
  waiting.due_at = kNow + seconds(1004);
  const Transition t = go(waiting, on(EventKind::kSubmit));
  ASSERT_THAT(kinds(t), ElementsAre(ActionKind::kArmBackoff));
  EXPECT_EQ(t.actions[0].delay, seconds(4));
}

TEST(RequestMachine, GivesUpInsteadOfExceedingANarrowedPolicy) {
  const Transition t = go(at(Stage::kWaiting, 2), on(EventKind::kBackoffElapsed), 2);
  EXPECT_EQ(t.next.state, RequestState::kGaveUp);
  EXPECT_EQ(t.next.attempt, 2);
  EXPECT_THAT(kinds(t), ElementsAre(ActionKind::kCopyResponse));
}

TEST(RequestMachine, InfersWhatTheFilesShow) {
  EXPECT_EQ(infer_progress({.has_response = true, .is_success = true}, kNow).state,
            RequestState::kSuccess);
  EXPECT_EQ(
      infer_progress({.has_response = true, .is_success = true, .has_failed_copy = true}, kNow)
          .state,
      RequestState::kSuccess);
  EXPECT_EQ(infer_progress({.has_response = true, .has_failed_copy = true}, kNow).state,
            RequestState::kGaveUp);
  for (const bool has_response : {false, true}) {
    const RequestProgress p = infer_progress({.has_response = has_response}, kNow);
    EXPECT_EQ(p.state, RequestState::kPolling);
    EXPECT_EQ(p.attempt, 1);
  }
}

TEST(RequestState, NamesRoundTrip) {
  for (int i = 0; i < kRequestStateCount; ++i) {
    const auto state = static_cast<RequestState>(i);
    EXPECT_EQ(parse_request_state(to_string(state)), state);
  }
  EXPECT_FALSE(parse_request_state("success"));
  for (int i = 0; i < kCancelMarkCount; ++i) {
    const auto mark = static_cast<CancelMark>(i);
    EXPECT_EQ(parse_cancel_mark(to_string(mark)), mark);
  }
}

}  // namespace
}  // namespace filecall::client
