// SPDX-License-Identifier: MIT
#include "worker/core/dispatcher.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace filecall::worker {
namespace {

const MonotonicTime kBegin{seconds(1000)};

Dispatcher make(int concurrency) {
  return Dispatcher({{"", DestinationLimits{.concurrency = concurrency}}}, kBegin);
}

std::vector<JobId> drain(Dispatcher& dispatcher) {
  std::vector<JobId> order;
  while (const auto id = dispatcher.next(kBegin)) {
    order.push_back(*id);
    dispatcher.finish(*id, Feedback::kNeutral, {}, kBegin);
  }
  return order;
}

TEST(Dispatcher, StartsInTheOrderOfArrival) {
  Dispatcher dispatcher = make(1);
  for (JobId id = 1; id <= 5; ++id) dispatcher.enqueue(id, 0, {"tool"}, 0, kBegin);
  EXPECT_EQ(drain(dispatcher), (std::vector<JobId>{1, 2, 3, 4, 5}));
}

TEST(Dispatcher, StartsLargerPriorityFirstWithinARoot) {
  Dispatcher dispatcher = make(1);
  dispatcher.enqueue(1, 0, {"tool"}, -10, kBegin);
  dispatcher.enqueue(2, 0, {"tool"}, 0, kBegin);
  dispatcher.enqueue(3, 0, {"tool"}, 10, kBegin);
  dispatcher.enqueue(4, 0, {"tool"}, 10, kBegin);
  EXPECT_EQ(drain(dispatcher), (std::vector<JobId>{3, 4, 2, 1}));
}

TEST(Dispatcher, TakesTurnsBetweenRootsWhateverTheirPriorities) {
  Dispatcher dispatcher = make(1);
  for (JobId id = 1; id <= 3; ++id) dispatcher.enqueue(id, 0, {"tool"}, 10, kBegin);
  for (JobId id = 11; id <= 13; ++id) dispatcher.enqueue(id, 1, {"tool"}, 0, kBegin);
  EXPECT_EQ(drain(dispatcher), (std::vector<JobId>{1, 11, 2, 12, 3, 13}));
}

TEST(Dispatcher, RefusesNewWorkWhenRoomIsZero) {
  Dispatcher dispatcher = make(2);
  for (JobId id = 1; id <= 3; ++id) dispatcher.enqueue(id, 0, {"tool"}, 0, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{1});
  EXPECT_EQ(dispatcher.next(kBegin), JobId{2});
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  dispatcher.finish(1, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{3});
}

TEST(Dispatcher, AFullDestinationDoesNotHoldUpAnother) {
  Dispatcher dispatcher = make(1);
  dispatcher.enqueue(1, 0, {"slow"}, 0, kBegin);
  dispatcher.enqueue(2, 0, {"slow"}, 0, kBegin);
  dispatcher.enqueue(3, 0, {"fast"}, 0, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{3});
  EXPECT_EQ(dispatcher.next(kBegin), JobId{1});
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
}

TEST(Dispatcher, RemovesOnlyWhatStillWaits) {
  Dispatcher dispatcher = make(1);
  dispatcher.enqueue(1, 0, {"tool"}, 0, kBegin);
  dispatcher.enqueue(2, 0, {"tool"}, 0, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{1});
  EXPECT_FALSE(dispatcher.remove(1));
  EXPECT_TRUE(dispatcher.remove(2));
  EXPECT_FALSE(dispatcher.remove(2));
  EXPECT_EQ(dispatcher.waiting(), 0u);
}

TEST(Dispatcher, WakesWhenAPauseEnds) {
  Dispatcher dispatcher = make(4);
  dispatcher.enqueue(1, 0, {"llm"}, 0, kBegin);
  dispatcher.enqueue(2, 0, {"llm"}, 0, kBegin);
  dispatcher.next(kBegin);
  dispatcher.finish(1, Feedback::kOverload, seconds(5), kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  EXPECT_EQ(dispatcher.next_wake(kBegin).when(), kBegin + seconds(5));
  EXPECT_EQ(dispatcher.next(kBegin + seconds(5)), JobId{2});
}

TEST(Dispatcher, LetsAnotherStartWhenAJobNeedsItsDestinationNoMore) {
  Dispatcher dispatcher = make(1);
  for (JobId id = 1; id <= 3; ++id) dispatcher.enqueue(id, 0, {"cluster"}, 0, kBegin);
  ASSERT_EQ(dispatcher.next(kBegin), JobId{1});
  dispatcher.yield(1, kBegin);
  EXPECT_EQ(dispatcher.states(kBegin)[0].in_flight, 0);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{2});
  dispatcher.finish(1, Feedback::kOverload, seconds(5), kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt) << "its place went to another before it ended";
  dispatcher.finish(2, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{3}) << "what came of it is no news of the destination";
}

TEST(Dispatcher, KeepsPlacesWhenAsManyWorkOnTheirAnswersAsMayBeInFlight) {
  Dispatcher dispatcher = make(2);
  for (JobId id = 1; id <= 6; ++id) dispatcher.enqueue(id, 0, {"cluster"}, 0, kBegin);
  for (const JobId id : {1u, 2u}) {
    ASSERT_EQ(dispatcher.next(kBegin), id);
    dispatcher.yield(id, kBegin);
    dispatcher.yield(id, kBegin);  // Said twice it counts once.
  }
  ASSERT_EQ(dispatcher.next(kBegin), JobId{3});
  ASSERT_EQ(dispatcher.next(kBegin), JobId{4});
  dispatcher.yield(3, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  dispatcher.finish(1, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt) << "3 kept its place, and 4 has the other";
  dispatcher.finish(3, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{5});
}

TEST(Dispatcher, StartsEveryJobExactlyOnceUnderRandomOperations) {
  constexpr int kConcurrency = 3;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Dispatcher dispatcher = make(kConcurrency);
    MonotonicTime now = kBegin;
    std::set<JobId> waiting;
    std::vector<JobId> running;
    std::set<JobId> yielded;
    JobId next_id = 1;
    for (int i = 0; i < 3000; ++i) {
      now += milliseconds(random.below(50));
      switch (random.below(6)) {
        case 0:
          waiting.insert(next_id);
          dispatcher.enqueue(next_id++, static_cast<int>(random.below(3)),
                             {random.below(2) ? "a" : "b", random.below(2) ? "" : "model"},
                             static_cast<int>(random.below(21)) - 10, now);
          break;
        case 1:
          if (const auto id = dispatcher.next(now)) {
            ASSERT_EQ(waiting.erase(*id), 1u) << "seed " << seed;
            running.push_back(*id);
          }
          break;
        case 2:
          if (!running.empty() && !yielded.contains(running.front())) {
            dispatcher.put_back(running.front());
            waiting.insert(running.front());
            running.erase(running.begin());
          }
          break;
        case 3:
          if (!running.empty()) {
            dispatcher.finish(running.back(), static_cast<Feedback>(random.below(3)),
                              milliseconds(random.below(100)), now);
            yielded.erase(running.back());
            running.pop_back();
          }
          break;
        case 4:
          if (!running.empty()) {
            yielded.insert(running.front());
            dispatcher.yield(running.front(), now);
          }
          break;
        default:
          if (!waiting.empty()) {
            ASSERT_TRUE(dispatcher.remove(*waiting.begin())) << "seed " << seed;
            waiting.erase(waiting.begin());
          }
      }
      ASSERT_EQ(dispatcher.waiting(), waiting.size()) << "seed " << seed;
      ASSERT_EQ(dispatcher.in_flight(), running.size()) << "seed " << seed;
      for (const auto& state : dispatcher.states(now)) {
        ASSERT_LE(state.in_flight, kConcurrency) << "seed " << seed;
      }
      ASSERT_LE(running.size(), 2u * 2 * kConcurrency) << "seed " << seed;
    }
    for (const JobId id : running) dispatcher.finish(id, Feedback::kNeutral, {}, now);
    for (const auto& state : dispatcher.states(now)) ASSERT_EQ(state.in_flight, 0);
  }
}

TEST(Dispatcher, PutsBackWhatWouldBeginInAPause) {
  DestinationLimits limits{.concurrency = 3};
  limits.tokens_per_s = 1;
  limits.tokens_burst = 100;
  Dispatcher dispatcher({{"d", limits}}, kBegin);
  for (JobId id = 1; id <= 4; ++id) dispatcher.enqueue(id, 0, {"d"}, 0, kBegin, 30);
  for (JobId id = 1; id <= 3; ++id) ASSERT_EQ(dispatcher.next(kBegin), id);
  EXPECT_FALSE(dispatcher.is_paused(2, kBegin));
  dispatcher.finish(1, Feedback::kOverload, seconds(5), kBegin);
  for (const JobId id : {3u, 2u}) {
    EXPECT_TRUE(dispatcher.is_paused(id, kBegin));
    dispatcher.put_back(id);
  }
  EXPECT_EQ(dispatcher.in_flight(), 0u);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  const MonotonicTime after = kBegin + seconds(5);
  EXPECT_EQ(dispatcher.next_wake(kBegin).when(), after) << "a start not made costs no tokens";
  EXPECT_EQ(dispatcher.next(after), 2u) << "before what came later";
  EXPECT_FALSE(dispatcher.is_paused(2, after));
  EXPECT_EQ(dispatcher.next(after), 3u);
  EXPECT_EQ(dispatcher.next(after), std::nullopt) << "the refusal took a place away";
}

TEST(Dispatcher, ARefusingLaneDoesNotHoldUpTheOthers) {
  Dispatcher dispatcher = make(2);
  for (JobId id = 1; id <= 4; ++id) {
    dispatcher.enqueue(id, 0, {"llm.p", id % 2 == 1 ? "limited" : "free"}, 0, kBegin);
  }
  ASSERT_EQ(dispatcher.next(kBegin), JobId{2});
  ASSERT_EQ(dispatcher.next(kBegin), JobId{1});
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt) << "the limit is the provider's";
  dispatcher.finish(1, Feedback::kOverload, seconds(5), kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), JobId{4});
  dispatcher.finish(2, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  EXPECT_EQ(dispatcher.next_wake(kBegin).when(), kBegin + seconds(5));
  const auto states = dispatcher.states(kBegin);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(states[0].name, "llm.p");
  EXPECT_EQ(states[0].waiting, 1u);
  EXPECT_EQ(states[0].pause, Duration::zero()) << "one lane may go on";
  EXPECT_EQ(states[2].name, "llm.p/limited");
  EXPECT_EQ(states[2].pause, seconds(5));
}

TEST(Dispatcher, LanesAreAsManyAsItCanKeep) {
  Dispatcher dispatcher = make(1000);
  for (JobId id = 1; id <= 500; ++id) {
    dispatcher.enqueue(id, 0, {"llm.p", "model" + std::to_string(id)}, 0, kBegin);
  }
  EXPECT_LE(dispatcher.states(kBegin).size(), 102u);
  EXPECT_EQ(drain(dispatcher).size(), 500u);
}

TEST(Dispatcher, DelaysStartsThatCostMoreThanTheDestinationsTokens) {
  const MonotonicTime start{};
  DestinationLimits limits;
  limits.tokens_per_s = 100;
  limits.tokens_burst = 100;
  Dispatcher dispatcher({{"d", limits}}, start);
  for (JobId id = 1; id <= 2; ++id) dispatcher.enqueue(id, 0, {"d"}, 0, start, 300);
  EXPECT_EQ(dispatcher.next(start), 1u);
  EXPECT_EQ(dispatcher.next(start + seconds(2)), std::nullopt);
  const auto states = dispatcher.states(start);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].in_flight, 1);
  EXPECT_EQ(states[0].waiting, 1u);
  EXPECT_EQ(dispatcher.next(dispatcher.next_wake(start).when()), 2u);
}

TEST(Dispatcher, StartsNothingOfWhatPeoplePaused) {
  Dispatcher dispatcher({}, kBegin);
  dispatcher.enqueue(1, 0, {"llm.openai", "big", "llm.chat"}, 0, kBegin);
  dispatcher.enqueue(2, 0, {"llm.openai", "small", "llm.embed"}, 0, kBegin);
  dispatcher.enqueue(3, 0, {"tool", "", "tool.run"}, 0, kBegin);
  dispatcher.enqueue(4, 1, {"tool", "", "tool.run"}, 0, kBegin);
  struct Case {
    Pauses pauses;
    std::set<JobId> held;
  };
  const std::vector<Case> cases = {
      {{false, {"llm.openai"}}, {1, 2}},
      {{false, {"openai"}}, {1, 2}},
      {{false, {"openai/small"}}, {2}},
      {{false, {"llm.openai/big"}}, {1}},
      {{false, {"llm.embed", "tool"}}, {2, 3}},
      {{false, {"tool.run"}}, {3}},
      {{true, {}}, {1, 2, 3}},
      {{false, {"nosuch", "/", ""}}, {}},
  };
  for (const Case& one : cases) {
    dispatcher.pause(0, one.pauses);
    EXPECT_EQ(dispatcher.held(), one.held.size());
    EXPECT_EQ(dispatcher.waiting(), 4U) << "what is held still waits";
    std::set<JobId> started;
    while (const auto id = dispatcher.next(kBegin)) started.insert(*id);
    EXPECT_EQ(started.size() + one.held.size(), 4U);
    for (const JobId id : one.held) EXPECT_FALSE(started.contains(id)) << id;
    EXPECT_TRUE(started.contains(4)) << "another root's";
    for (const JobId id : started) dispatcher.put_back(id);
  }
}

TEST(Dispatcher, GivesResumedJobsTheirPlacesBack) {
  Dispatcher dispatcher({{"tool", {.concurrency = 1}}}, kBegin);
  for (JobId id = 1; id <= 3; ++id) {
    dispatcher.enqueue(id, 0, {"tool", "", id == 2 ? "other" : "tool.run"}, 0, kBegin);
  }
  dispatcher.pause(0, {false, {"tool.run"}});
  EXPECT_EQ(dispatcher.next(kBegin), 2U);
  dispatcher.enqueue(4, 0, {"tool", "", "tool.run"}, 0, kBegin);
  EXPECT_EQ(dispatcher.held(), 3U);
  EXPECT_TRUE(dispatcher.remove(3));
  EXPECT_EQ(dispatcher.states(kBegin).front().held, 2U);
  dispatcher.pause(0, {});
  EXPECT_EQ(dispatcher.held(), 0U);
  dispatcher.finish(2, Feedback::kSuccess, {}, kBegin);
  EXPECT_EQ(dispatcher.next(kBegin), 1U) << "it came before 4";
}

TEST(Dispatcher, HoldsAJobThatIsPausedWhileItsStartIsRecorded) {
  Dispatcher dispatcher({}, kBegin);
  dispatcher.enqueue(1, 0, {"tool", "", "tool.run"}, 0, kBegin);
  ASSERT_EQ(dispatcher.next(kBegin), 1U);
  EXPECT_FALSE(dispatcher.is_paused(1, kBegin));
  dispatcher.pause(0, {true, {}});
  EXPECT_TRUE(dispatcher.is_paused(1, kBegin));
  dispatcher.put_back(1);
  EXPECT_EQ(dispatcher.next(kBegin), std::nullopt);
  EXPECT_TRUE(dispatcher.next_wake(kBegin).is_never());
}

}  // namespace
}  // namespace filecall::worker
