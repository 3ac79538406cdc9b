// SPDX-License-Identifier: MIT
#include "client/engine/feed_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/simulation/manual_desk.h"
#include "tests/simulation/memory_channel.h"
#include "tests/simulation/world.h"

namespace filecall::client {
namespace {

using simulation::Id;
using simulation::ManualDesk;
using simulation::MemoryChannel;
using simulation::name_of;
using simulation::ResponseFile;
using simulation::World;

constexpr std::int64_t kCallMs = 50;
constexpr std::int64_t kTokensMax = 100;

/// Calls of a model that may use kTokensMax each.
class CallFeed final : public SubmissionFeed {
 public:
  explicit CallFeed(int count) : count_(count) {}
  Result<Offer> next() override {
    if (next_ == count_) return Offer::end();
    const std::string id = name_of(next_++);
    return Offer::of({.request_id = id,
                      .command = "llm.chat",
                      .bytes = R"({"request_id":")" + id +
                               R"(","command":"llm.chat","params":{"model":"m","max_tokens":)" +
                               std::to_string(kTokensMax) + "}}"});
  }

 private:
  Id next_ = 0;
  int count_;
};

/// Calls that each wait for the end of the one before, as the turns of a conversation do.
class TurnFeed final : public SubmissionFeed {
 public:
  TurnFeed(int count, const int& ended) : calls_(count), count_(count), ended_(ended) {}
  Result<Offer> next() override {
    if (given_ == count_) return Offer::end();
    if (given_ > ended_) return Offer::not_yet();
    ++given_;
    return calls_.next();
  }

 private:
  CallFeed calls_;
  int count_;
  const int& ended_;
  int given_ = 0;
};

/// A run and a model that answers after kCallMs. Time passes only when driver and run ask for none
/// of it, so whoever misses its turn is late.
class FeedRunTest : public ::testing::Test {
 protected:
  FeedRunTest() {
    desk_.work_inline();
    DriverOptions options;
    options.owner = "me";
    options.retry = {.attempts_max = 3,
                     .backoff_base = seconds(20),
                     .backoff_max = seconds(20),
                     .pause_max = {}};
    options.attempt_timeout = std::chrono::minutes(10);
    options.wall_clock = [this] { return world_.wall(); };
    driver_ = std::move(*Driver::open(options, channel_, desk_, nullptr, world_.monotonic()));
    driver_->set_server(true, world_.monotonic());
  }

  /// How long the run took, by the model's clock.
  std::int64_t drive(int count, const RunLimits& limits) {
    CallFeed feed(count);
    return drive(feed, limits);
  }
  std::int64_t drive(SubmissionFeed& feed, const RunLimits& limits) {
    FeedRun run(*driver_, feed,
                {.batch = "b", .window = 20, .limits = limits, .prices = {}, .earlier = {}});
    run.set_paused(is_paused_);
    const std::int64_t began = world_.now_ms;
    for (int rounds = 0; rounds < 10'000; ++rounds) {
      turn(run);
      if (run.standing() != Intake::Standing::kGoesOn) {
        reason_ = run.limit_reason();
        return world_.now_ms - began;
      }
      begin_calls();
      const Deadline wake = std::min(driver_->next_wake(), run.next_wake());
      if (wake.is_reached(world_.monotonic())) continue;
      if (calls_.empty() && wake.is_never()) break;
      pass_until(wake);
    }
    ADD_FAILURE() << "the run does not end; nobody is called and nobody is awaited";
    return 0;
  }

  /// Submits request 0 in a run that nobody feeds.
  RunId submit_one() {
    const RunId run = driver_->begin_run("b");
    CallFeed feed(1);
    Submission submission = std::move(feed.next()->submission);
    submission.run = run;
    driver_->submit(submission);
    return run;
  }

  void turn(FeedRun& run) {
    EXPECT_TRUE(run.advance(world_.monotonic()));
    EXPECT_TRUE(driver_->turn(world_.monotonic()));
    for (const RequestOutcome& outcome : driver_->take_outcomes()) {
      run.take(outcome);
      last_state_ = outcome.state;
      ++ended_;
    }
  }

  void begin_calls() {
    for (const auto& [id, text] : world_.requests) {
      if (world_.is_pending(id)) calls_.try_emplace(id, world_.now_ms + kCallMs);
    }
    most_at_once_ = std::max(most_at_once_, calls_.size());
  }
  /// Until then, or the next answer.
  void pass_until(Deadline wake) {
    std::int64_t next = wake.is_never() ? INT64_MAX : to_ms(wake.when().time_since_epoch());
    for (const auto& [id, ends] : calls_) next = std::min(next, ends);
    if (next == INT64_MAX) return;  // Nothing is to come.
    world_.now_ms = std::max(world_.now_ms, next);
    for (auto call = calls_.begin(); call != calls_.end();) {
      if (call->second > world_.now_ms) {
        ++call;
        continue;
      }
      ++answered_;
      world_.publish(call->first, answer_(call->first));
      channel_.hint(call->first);
      call = calls_.erase(call);
    }
  }
  static ResponseFile success(std::int64_t tokens) {
    return {.version = {}, .is_success = true, .tokens = tokens};
  }

  World world_{1};
  MemoryChannel channel_{world_};
  std::unique_ptr<StateStore> store_ = std::move(*StateStore::open_in_memory());
  ManualDesk desk_{Clerk(
      *store_, channel_, "me", [](std::string_view) { return false; }, nullptr)};
  std::unique_ptr<Driver> driver_;
  std::function<ResponseFile(Id)> answer_ = [](Id) { return success(10); };
  std::map<Id, std::int64_t> calls_;  ///< And when they end.
  std::size_t most_at_once_ = 0;
  int answered_ = 0;
  int ended_ = 0;
  bool is_paused_ = false;
  RequestState last_state_ = RequestState::kNew;
  std::string reason_;
};

RunLimits limit_of_cost(double cost) { return {.cost = cost, .tokens = {}, .errors = {}}; }
RunLimits limit_of_tokens(std::int64_t tokens) {
  return {.cost = {}, .tokens = tokens, .errors = {}};
}

TEST_F(FeedRunTest, AsksAFeedThatWaitsAsSoonAsSomethingHasEnded) {
  TurnFeed feed(5, ended_);
  EXPECT_EQ(drive(feed, RunLimits{}), 5 * kCallMs);
  EXPECT_EQ(answered_, 5);
}

TEST_F(FeedRunTest, EndsAtALimitAlthoughItsFeedWaitsForWhatIsLeft) {
  TurnFeed feed(100, ended_);
  drive(feed, limit_of_tokens(130));
  EXPECT_GE(answered_, 1);
  EXPECT_LT(answered_, 100);
  EXPECT_FALSE(reason_.empty());
}

TEST_F(FeedRunTest, BeginsTheNextCallWhenACallLeavesRoomUnderTheLimitOfTokens) {
  // Not more than two at once, and fewer near the limit.
  const std::int64_t took = drive(100, limit_of_tokens(260));
  EXPECT_LE(most_at_once_, 2u);
  EXPECT_LE(took, kCallMs * answered_);
  EXPECT_GE(answered_, 14);
  EXPECT_FALSE(reason_.empty());
}

TEST_F(FeedRunTest, BeginsTheNextCallWhenACallLeavesRoomUnderTheLimitOfCost) {
  const std::int64_t took = drive(100, limit_of_cost(200));
  EXPECT_LE(took, kCallMs * answered_);
  EXPECT_GE(answered_, 18);
  EXPECT_FALSE(reason_.empty());
}

TEST_F(FeedRunTest, CountsEarlierAnswersWithoutAPauseUnderALimit) {
  drive(20, {});
  ASSERT_EQ(answered_, 20);
  EXPECT_EQ(drive(20, limit_of_tokens(260)), 0);
  EXPECT_EQ(drive(20, limit_of_cost(260)), 0);
  EXPECT_EQ(answered_, 20);
}

TEST_F(FeedRunTest, EndsAtOnceWhenAFailureReachesALimitAndTheOthersWait) {
  // The first is given up while all others wait for their next attempts.
  answer_ = [](Id id) -> ResponseFile {
    return {.version = {}, .code = ErrorCode::kUnavailable, .retryable = id != 0};
  };
  EXPECT_EQ(drive(5, {.cost = {}, .tokens = {}, .errors = 1}), kCallMs);
  EXPECT_FALSE(reason_.empty());
}

TEST_F(FeedRunTest, EndsAtOnceWhenAFailedAttemptUsesWhatTheOthersNeed) {
  answer_ = [](Id) -> ResponseFile {
    return {.version = {}, .code = ErrorCode::kUnavailable, .tokens = kTokensMax};
  };
  EXPECT_EQ(drive(1, limit_of_tokens(150)), kCallMs);
  EXPECT_FALSE(reason_.empty());
}

TEST_F(FeedRunTest, CountsNeitherAnAttemptThatWasGivenBackNorTheTimeUntilTheNextRun) {
  const RunId first = submit_one();
  EXPECT_TRUE(driver_->turn(world_.monotonic()));
  world_.publish(0, {.version = {}, .code = ErrorCode::kCancelled, .is_given_back = true});
  channel_.hint(0);
  EXPECT_TRUE(driver_->turn(world_.monotonic()));
  EXPECT_EQ(driver_->counts(first).waiting, 1);
  EXPECT_EQ(driver_->counts(first).retries, 0);
  driver_->end_run(first);
  world_.now_ms += 3'600'000;
  drive(1, {});
  const RequestRow row = **store_->find("0");
  EXPECT_EQ(row.progress.state, RequestState::kSuccess);
  const RequestOutcome outcome = outcome_of(row, false);
  EXPECT_EQ(outcome.attempts, 1);
  EXPECT_EQ(outcome.latency_ms, kCallMs);
}

TEST_F(FeedRunTest, CountsARetryWhenItsAttemptBeginsAndNoneThatWasGivenBack) {
  const RunId run = submit_one();
  const auto answer = [&](ResponseFile file) {
    world_.publish(0, file);
    channel_.hint(0);
    EXPECT_TRUE(driver_->turn(world_.monotonic()));
  };
  const auto wait = [&] {
    world_.now_ms += 3'600'000;
    EXPECT_TRUE(driver_->turn(world_.monotonic()));
  };
  EXPECT_TRUE(driver_->turn(world_.monotonic()));
  answer({.version = {}, .code = ErrorCode::kUnavailable});
  EXPECT_EQ(driver_->counts(run).waiting, 1);
  EXPECT_EQ(driver_->counts(run).retries, 0) << "it may never begin";
  wait();
  EXPECT_EQ(driver_->counts(run).retries, 1);
  answer({.version = {}, .code = ErrorCode::kCancelled, .is_given_back = true});
  EXPECT_EQ(driver_->counts(run).retries, 0) << "the worker did not begin it";
  wait();
  EXPECT_EQ(driver_->counts(run).retries, 1);
}

TEST_F(FeedRunTest, ARunOfAPausedBatchEndsWhenNothingIsLeftToStart) {
  drive(5, {});
  ended_ = 0;
  is_paused_ = true;
  EXPECT_EQ(drive(5, {}), 0);
  EXPECT_EQ(ended_, 5);
}

TEST_F(FeedRunTest, ARunOfAPausedBatchCountsWhatEndedAndStartsTheRestAfterThePause) {
  drive(30, {});
  ended_ = 0;
  CallFeed feed(60);
  FeedRun run(*driver_, feed,
              {.batch = "b", .window = 20, .limits = {}, .prices = {}, .earlier = {}});
  run.set_paused(true);
  for (int turns = 0; turns < 20; ++turns) turn(run);
  EXPECT_EQ(ended_, 30);
  EXPECT_EQ(run.standing(), Intake::Standing::kGoesOn);
  EXPECT_EQ(driver_->counts(run.run()).submitted, 0);
  EXPECT_FALSE(*store_->find("30")) << "what is paused has no row";
  EXPECT_TRUE(calls_.empty());
  EXPECT_FALSE(run.next_wake().is_never());
  run.set_paused(false);
  for (int turns = 0; turns < 100 && run.standing() == Intake::Standing::kGoesOn; ++turns) {
    turn(run);
    begin_calls();
    pass_until(Deadline::never());
  }
  EXPECT_EQ(run.standing(), Intake::Standing::kDone);
  EXPECT_EQ(ended_, 60);
  EXPECT_EQ(answered_, 60);
}

TEST_F(FeedRunTest, ALineThatHasChangedSinceItEndedIsNoSuccessDuringAPause) {
  drive(1, {});
  RequestRow row = **store_->find("0");
  row.content_hash = "another";
  ASSERT_TRUE(store_->put(row));
  world_.requests.clear();
  is_paused_ = true;
  drive(1, {});
  EXPECT_EQ(last_state_, RequestState::kGaveUp);
}

TEST(RequestOutcome, HasTheLatencyThatItsRowKeeps) {
  RequestRow live;
  live.submitted_at = WallTime(std::chrono::microseconds(1'000'900));
  live.finished_at = WallTime(std::chrono::microseconds(1'006'100));
  RequestRow read = live;
  read.submitted_at = WallTime(milliseconds(1'000));
  read.finished_at = WallTime(milliseconds(1'006));
  EXPECT_EQ(outcome_of(live, false).latency_ms, 6);
  EXPECT_EQ(outcome_of(read, true).latency_ms, 6);
}

}  // namespace
}  // namespace filecall::client
