// SPDX-License-Identifier: MIT
#include "client/engine/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "client/engine/feed_run.h"
#include "tests/simulation/manual_desk.h"
#include "tests/simulation/memory_channel.h"
#include "tests/simulation/world.h"

namespace filecall::client {
namespace {

using simulation::Id;
using simulation::ManualDesk;
using simulation::MemoryChannel;
using simulation::name_of;
using simulation::World;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Numbers from `next` to `end`, as far as the test has released them.
class NumberFeed final : public SubmissionFeed {
 public:
  NumberFeed(Id next, Id end) : next_(next), released(end), end_(end) {}
  Result<Offer> next() override {
    if (next_ == end_) return Offer::end();
    if (next_ >= released) return Offer::not_yet();
    const std::string id = name_of(next_++);
    return Offer::of({.request_id = id, .command = "system.echo", .bytes = "{\"id\":" + id + "}"});
  }

 private:
  Id next_;

 public:
  Id released;

 private:
  Id end_;
};

class DriverTest : public ::testing::Test {
 protected:
  DriverTest() {
    DriverOptions options;
    options.owner = "me";
    options.retry = {.attempts_max = 3,
                     .backoff_base = milliseconds(20),
                     .backoff_max = milliseconds(80),
                     .pause_max = seconds(4)};
    options.attempt_timeout = seconds(5);
    options.wall_clock = [this] { return world_.wall(); };
    auto driver = Driver::open(options, channel_, desk_, nullptr, world_.monotonic());
    driver_ = std::move(*driver);
    driver_->set_server(true, world_.monotonic());
    run_ = driver_->begin_run("batch");
  }

  static Submission submission(Id id, RunId run) {
    return {.request_id = name_of(id), .command = "system.echo", .bytes = "{}", .run = run};
  }
  void submit(Id id) { driver_->submit(submission(id, run_)); }
  void turn() { ASSERT_TRUE(driver_->turn(world_.monotonic())); }
  void turn_after(Duration time) {
    world_.now_ms += to_ms(time);
    turn();
  }
  /// Turns until nothing is left for the desk.
  void rest_after(Duration time) {
    turn_after(time);
    while (desk_.has_batch()) {
      desk_.finish();
      turn();
    }
  }
  /// Request 1 in its second attempt. The first one's cancellation is answered after all, which is
  /// noted and changes no timer.
  void bring_to_desk_with_a_timer() {
    submit(1);
    rest_after({});
    rest_after(seconds(6));
    rest_after(seconds(6));
    rest_after(milliseconds(200));
    ASSERT_EQ((*store_->find("1"))->progress.attempt, 2);
    answer(1, {.version = {}, .code = ErrorCode::kCancelled, .retryable = false});
    turn();
    ASSERT_TRUE(desk_.has_batch());
  }
  void answer(Id id, simulation::ResponseFile file = {.version = {}, .is_success = true}) {
    world_.publish(id, file);
    channel_.hint(id);
  }
  std::vector<RequestOutcome> outcomes() { return driver_->take_outcomes(); }
  RequestState stored_state(Id id) { return (*store_->find(name_of(id)))->progress.state; }

  World world_{1};
  MemoryChannel channel_{world_};
  std::unique_ptr<StateStore> store_ = std::move(*StateStore::open_in_memory());
  ManualDesk desk_{Clerk(
      *store_, channel_, "me", [](std::string_view) { return false; }, nullptr)};
  std::unique_ptr<Driver> driver_;
  RunId run_ = 0;
};

TEST_F(DriverTest, HandsOutASuccessWithItsAnswerThatWasReadOnce) {
  desk_.work_inline();
  submit(1);
  turn();
  EXPECT_TRUE(world_.requests.contains(1));
  answer(1);
  turn();
  turn();
  const auto all = outcomes();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].state, RequestState::kSuccess);
  EXPECT_EQ(all[0].run, run_);
  ASSERT_TRUE(all[0].response);
  EXPECT_TRUE(all[0].response->is_success());
  EXPECT_EQ(channel_.reads, 1);
  EXPECT_TRUE(driver_->is_idle());
}

TEST_F(DriverTest, MakesTheRowDurableBeforeTheRequestIsThere) {
  submit(1);
  turn();
  ASSERT_TRUE(desk_.has_batch());
  EXPECT_FALSE(*store_->find("1"));
  desk_.step();
  EXPECT_EQ(stored_state(1), RequestState::kPolling);
  EXPECT_THAT(world_.requests, IsEmpty());
  desk_.finish();
  EXPECT_TRUE(world_.requests.contains(1));
}

TEST_F(DriverTest, CountsAnErrorDurablyBeforeItsAnswerIsDeleted) {
  submit(1);
  turn();
  desk_.finish();
  turn();
  answer(1, {.version = {}, .code = ErrorCode::kUnavailable});
  turn();
  EXPECT_EQ(stored_state(1), RequestState::kPolling);
  desk_.finish();
  EXPECT_EQ(stored_state(1), RequestState::kWaiting);
  EXPECT_TRUE(world_.responses.contains(1));
  turn();
  turn_after(milliseconds(200));
  ASSERT_TRUE(desk_.has_batch());
  desk_.step();
  EXPECT_EQ((*store_->find("1"))->progress.attempt, 2);
  EXPECT_TRUE(world_.responses.contains(1));
  desk_.finish();
  EXPECT_FALSE(world_.responses.contains(1));
}

TEST_F(DriverTest, GathersTheNextBatchWhileOneIsAtTheDesk) {
  submit(1);
  turn();
  submit(2);
  submit(3);
  turn();
  ASSERT_TRUE(desk_.has_batch());
  EXPECT_THAT(desk_.batch()->tasks, SizeIs(1));
  desk_.finish();
  turn();
  ASSERT_TRUE(desk_.has_batch());
  EXPECT_THAT(desk_.batch()->tasks, SizeIs(2));
}

TEST_F(DriverTest, DoesNotMissAnAnswerThatComesWhileTheDeskHasTheRequest) {
  submit(1);
  turn();
  desk_.step();
  desk_.step();
  world_.requests.emplace(1, "{}");
  answer(1);
  turn();
  desk_.finish();
  turn();
  desk_.finish();
  turn();
  EXPECT_THAT(outcomes(), SizeIs(1));
}

TEST_F(DriverTest, CountsAnAnswerOnceThatIsThereWhenItsRequestIsContinued) {
  desk_.work_inline();
  submit(1);
  turn();
  driver_->end_run(run_);
  answer(1);
  turn();
  run_ = driver_->begin_run("batch");
  submit(1);
  channel_.hint(1);
  turn();
  for (int i = 0; i < 3; ++i) turn();
  const auto all = outcomes();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_FALSE(all[0].from_earlier_run);
  EXPECT_EQ(channel_.reads, 1);
}

TEST_F(DriverTest, KeepsPolicyAndTimeOutOfEachSubmissionApart) {
  desk_.work_inline();
  Submission hasty = submission(1, run_);
  hasty.retry = RetryPolicy{.attempts_max = 1};
  hasty.attempt_timeout = milliseconds(10);
  driver_->submit(std::move(hasty));
  submit(2);
  turn();
  turn_after(milliseconds(11));
  EXPECT_THAT(world_.cancels, ::testing::ElementsAre(1));
  turn_after(seconds(6));
  const auto all = outcomes();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].request_id, "1");
  EXPECT_EQ(all[0].error_code, ErrorCode::kDeadlineExceeded);
  ASSERT_TRUE(all[0].response);
  EXPECT_EQ(all[0].response->failure->code, ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(world_.failed.contains(1));
}

TEST_F(DriverTest, WaitsNoLongerForALateAnswerThanWithoutIt) {
  submit(1);
  rest_after({});
  rest_after(seconds(6));
  rest_after(seconds(6));
  ASSERT_EQ(stored_state(1), RequestState::kWaiting) << "nor was its cancellation answered";
  answer(1, {.version = {}, .code = ErrorCode::kUnavailable});
  rest_after({});
  ASSERT_EQ(stored_state(1), RequestState::kWaiting);
  rest_after(milliseconds(200));
  EXPECT_EQ((*store_->find("1"))->progress.attempt, 2);
  EXPECT_FALSE(world_.responses.contains(1));
}

TEST_F(DriverTest, WaitsBeforeTheNextAttemptThoughTheLastOnesTimeRanOutAtTheDesk) {
  bring_to_desk_with_a_timer();
  desk_.step();
  desk_.step();
  ASSERT_FALSE(world_.responses.contains(1));
  answer(1, {.version = {}, .code = ErrorCode::kUnavailable});
  turn_after(seconds(6));
  desk_.finish();
  rest_after({});
  EXPECT_EQ(stored_state(1), RequestState::kWaiting);
  EXPECT_EQ((*store_->find("1"))->progress.attempt, 2);
}

TEST_F(DriverTest, DoesNotEndAnAttemptThatTheServerLeftBehindThoughItsTimeRanOutAtTheDesk) {
  bring_to_desk_with_a_timer();
  turn_after(seconds(6));
  driver_->set_server(false, world_.monotonic());
  world_.cancels.clear();
  desk_.finish();
  rest_after({});
  EXPECT_THAT(world_.cancels, IsEmpty());
}

TEST_F(DriverTest, EndsACancelledRequestWithItsAnswer) {
  desk_.work_inline();
  submit(1);
  turn();
  driver_->cancel("1");
  turn();
  EXPECT_TRUE(world_.cancels.contains(1));
  answer(1, {.version = {}, .code = ErrorCode::kCancelled, .retryable = false});
  turn();
  turn();
  const auto all = outcomes();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].error_code, ErrorCode::kCancelled);
}

TEST_F(DriverTest, HearsOfCancelRequestsThroughTheDatabase) {
  desk_.work_inline();
  submit(1);
  turn();
  ASSERT_TRUE(store_->request_cancel("1", world_.wall()));
  ASSERT_TRUE(store_->request_cancel("other", world_.wall()));
  turn_after(seconds(1));
  turn();
  EXPECT_TRUE(world_.cancels.contains(1));
  EXPECT_THAT(*store_->cancel_requests(), ::testing::ElementsAre("other"));
}

TEST_F(DriverTest, AsksAgainForAnIdThatWasInFlightWhenItWasSubmittedAgain) {
  desk_.work_inline();
  const RunId other = driver_->begin_run({});
  submit(1);
  driver_->submit(submission(1, other));
  turn();
  answer(1);
  for (int i = 0; i < 4; ++i) turn();
  const auto all = outcomes();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].run, run_);
  EXPECT_FALSE(all[0].from_earlier_run);
  EXPECT_EQ(all[1].run, other);
  EXPECT_TRUE(all[1].from_earlier_run);
}

TEST_F(DriverTest, HoldsRequestsUntilAServerIsReady) {
  desk_.work_inline();
  driver_->set_server(false, world_.monotonic());
  submit(1);
  turn();
  EXPECT_EQ(stored_state(1), RequestState::kNew);
  EXPECT_THAT(world_.requests, IsEmpty());
  driver_->set_server(true, world_.monotonic());
  turn();
  EXPECT_TRUE(world_.requests.contains(1));
}

TEST_F(DriverTest, GivesWhatWaitedBehindAPauseItsWholeTimeWhenItBeginsUnderAnotherPause) {
  desk_.work_inline();
  driver_->set_paused(true, world_.wall(), world_.monotonic());
  for (const Id id : {1, 2, 3}) submit(id);
  turn();
  channel_.begun[3] = world_.wall();  // Not paused: it runs from the start.
  const WallTime seen = world_.wall() + milliseconds(5300);
  turn_after(milliseconds(5500));
  EXPECT_TRUE(world_.cancels.contains(3)) << "its time is over";
  channel_.begun[1] = world_.wall();
  driver_->set_paused(true, seen, world_.monotonic());  // Something else is paused still.
  turn_after(seconds(4));
  EXPECT_FALSE(world_.cancels.contains(1)) << "its time began with it";
  turn_after(milliseconds(1100));
  EXPECT_TRUE(world_.cancels.contains(1)) << "its time is over, too";
  channel_.begun[2] = world_.wall();  // Nobody has told the driver.
  turn_after(seconds(1));
  turn_after(milliseconds(4500));
  EXPECT_FALSE(world_.cancels.contains(2));
}

TEST_F(DriverTest, DoesNotGiveWhatRunsMoreTimeWhenAnotherPauseEnds) {
  desk_.work_inline();
  submit(1);
  turn();
  channel_.begun[1] = world_.wall();
  turn_after(seconds(3));
  driver_->set_paused(true, world_.wall(), world_.monotonic());
  driver_->set_paused(false, world_.wall(), world_.monotonic());
  turn_after(milliseconds(2100));
  EXPECT_TRUE(world_.cancels.contains(1));
}

TEST_F(DriverTest, LetsGoOfARunThatIsEnded) {
  submit(1);
  turn();
  submit(2);
  driver_->end_run(run_);
  desk_.finish();
  turn();
  EXPECT_TRUE(driver_->is_idle());
  EXPECT_THAT(outcomes(), IsEmpty());
  EXPECT_EQ(stored_state(1), RequestState::kPolling) << "as after a crash";
}

TEST_F(DriverTest, RunsTwoFeedsAtOnce) {
  desk_.work_inline();
  NumberFeed first(0, 10);
  NumberFeed second(100, 103);
  second.released = 101;
  FeedRun a(*driver_, first, {.batch = "a", .window = 4, .limits = {}, .earlier = {}});
  FeedRun b(*driver_, second, {.batch = "b", .window = 2, .limits = {}, .earlier = {}});
  std::map<RunId, int> ended;
  for (int round = 0; round < 100; ++round) {
    if (round == 50) {
      EXPECT_EQ(a.standing(), Intake::Standing::kDone);
      EXPECT_EQ(b.standing(), Intake::Standing::kGoesOn) << "its feed said: not yet";
      second.released = 103;
    }
    ASSERT_TRUE(a.advance(world_.monotonic()));
    ASSERT_TRUE(b.advance(world_.monotonic()));
    turn();
    for (const RequestOutcome& outcome : outcomes()) {
      ++ended[outcome.run];
      (outcome.run == a.run() ? a : b).take(outcome);
    }
    const auto& counts = driver_->counts(a.run());
    EXPECT_LE(counts.in_flight, 4);
    for (const auto& [id, text] : world_.requests) {
      if (world_.is_pending(id)) answer(id);
    }
  }
  EXPECT_EQ(a.standing(), Intake::Standing::kDone);
  EXPECT_EQ(b.standing(), Intake::Standing::kDone);
  EXPECT_EQ(ended[a.run()], 10);
  EXPECT_EQ(ended[b.run()], 3);
  EXPECT_EQ((*store_->find("100"))->batch, "b");
}

}  // namespace
}  // namespace filecall::client
