// SPDX-License-Identifier: MIT
#include "worker/core/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "worker/core/dispatcher.h"

namespace filecall::worker {
namespace {

constexpr std::uint32_t kAnn = 1001;
constexpr std::uint32_t kBob = 1002;
constexpr std::uint32_t kCid = 1003;

struct Waiting {
  Asker asker;
  int priority;
  JobId id;
};

std::vector<JobId> order_of(const std::vector<Waiting>& jobs) {
  FairQueue queue;
  for (const Waiting& job : jobs) queue.insert(job.asker, job.priority, job.id);
  std::vector<JobId> order;
  while (const auto id = queue.take(UserUse({}))) order.push_back(*id);
  return order;
}

struct Case {
  const char* what;
  std::vector<Waiting> jobs;
  std::vector<JobId> order;
};

TEST(FairQueue, GivesTurnsToRootsAndToTheUsersOfEach) {
  const Case cases[] = {
      {"one user: the order of arrival", {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}}, {1, 2, 3}},
      {"one user: larger priority first", {{0, -1, 1}, {0, 5, 2}, {0, 5, 3}}, {2, 3, 1}},
      {"users take turns",
       {{{0, kAnn}, 0, 1}, {{0, kAnn}, 0, 2}, {{0, kAnn}, 0, 3}, {{0, kBob}, 0, 4}},
       {1, 4, 2, 3}},
      {"a priority counts within its user alone",
       {{{0, kAnn}, -10, 1}, {{0, kAnn}, -10, 2}, {{0, kBob}, 10, 3}, {{0, kBob}, 10, 4}},
       {1, 3, 2, 4}},
      {"user 0 takes turns as all do",
       {{{0, 0}, 0, 1}, {{0, 0}, 0, 2}, {{0, kBob}, 0, 3}, {{0, kBob}, 0, 4}},
       {1, 3, 2, 4}},
      {"many users of one root have as much as the one of another",
       {{{0, kAnn}, 0, 1}, {{0, kBob}, 0, 2}, {{0, kCid}, 0, 3}, {1, 0, 4}, {1, 0, 5}, {1, 0, 6}},
       {1, 4, 2, 5, 3, 6}},
  };
  for (const Case& one : cases) EXPECT_EQ(order_of(one.jobs), one.order) << one.what;
}

TEST(FairQueue, RemembersWhoseTurnItWasWhenNothingWaitedMeanwhile) {
  const UserUse use({});
  FairQueue queue;
  queue.insert({0, kAnn}, 0, 1);
  EXPECT_EQ(queue.take(use), JobId{1});
  EXPECT_TRUE(queue.empty());
  queue.insert({0, kAnn}, 0, 2);
  queue.insert({0, kBob}, 0, 3);
  EXPECT_EQ(queue.take(use), JobId{3});
}

TEST(FairQueue, PassesOverAUserWhoRunsAsManyAsHeMay) {
  UserUse use({.running_max = 1});
  FairQueue queue;
  queue.insert({0, kAnn}, 0, 1);
  queue.insert({0, kAnn}, 0, 2);
  queue.insert({0, kBob}, 0, 3);
  use.count_running({0, kAnn}, 1);
  EXPECT_EQ(queue.take(use), JobId{3});
  EXPECT_FALSE(queue.has_startable(use));
  EXPECT_EQ(queue.take(use), std::nullopt);
  use.count_running({0, kAnn}, -1);
  EXPECT_TRUE(queue.has_startable(use));
  EXPECT_EQ(queue.take(use), JobId{1});
}

/// Whatever the others do: between two turns of a user, no other one has more than one turn more
/// than it, as long as something of it waits.
TEST(FairQueue, LetsNobodyWaitForMoreThanOneTurnOfEachOtherUser) {
  const UserUse use({});
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    FairQueue queue;
    std::map<std::uint32_t, std::size_t> waiting;
    std::map<JobId, std::tuple<std::uint32_t, int>> jobs;
    /// By user who waits: the turns of each other one since its own last.
    std::map<std::uint32_t, std::map<std::uint32_t, int>> passed;
    JobId next_id = 1;
    for (int i = 0; i < 800; ++i) {
      if (random.below(5) < 3) {
        // One of them floods.
        const auto user = static_cast<std::uint32_t>(random.below(2) == 0 ? 0 : random.below(4));
        const int priority = static_cast<int>(random.below(21)) - 10;
        queue.insert({0, user}, priority, next_id);
        jobs.emplace(next_id++, std::tuple(user, priority));
        if (waiting[user]++ == 0) passed[user].clear();
        continue;
      }
      const auto id = queue.take(use);
      ASSERT_EQ(id.has_value(), !jobs.empty()) << "seed " << seed;
      if (!id) continue;
      const auto [user, priority] = jobs.at(*id);
      for (const auto& [other, job] : jobs) {
        if (std::get<0>(job) != user) continue;
        ASSERT_LE(std::get<1>(job), priority) << "seed " << seed;
        ASSERT_TRUE(std::get<1>(job) < priority || other >= *id) << "seed " << seed;
      }
      jobs.erase(*id);
      --waiting[user];
      passed[user].clear();
      for (const auto& [other, count] : waiting) {
        if (other == user || count == 0) continue;
        ASSERT_LE(++passed[other][user], 1) << "seed " << seed;
      }
      ASSERT_EQ(queue.size(), jobs.size()) << "seed " << seed;
    }
  }
}

TEST(DispatcherOfUsers, HasNoMoreOfAUserInFlightThanItMayAndForgetsNothing) {
  constexpr std::size_t kRunningMax = 2;
  const MonotonicTime begin{seconds(1000)};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Dispatcher dispatcher({{"", DestinationLimits{.concurrency = 5}}}, begin,
                          {.running_max = kRunningMax, .waiting_max = 4});
    std::map<JobId, std::uint32_t> waiting;
    std::map<JobId, std::uint32_t> running;
    const auto count_of = [](const auto& jobs, std::uint32_t user) {
      return static_cast<std::size_t>(std::count_if(
          jobs.begin(), jobs.end(), [user](const auto& job) { return job.second == user; }));
    };
    JobId next_id = 1;
    for (int i = 0; i < 2000; ++i) {
      const auto user = static_cast<std::uint32_t>(random.below(4));
      switch (random.below(5)) {
        case 0:
        case 1:
          ASSERT_EQ(dispatcher.may_wait({0, user}), count_of(waiting, user) < 4) << "seed " << seed;
          if (!dispatcher.may_wait({0, user})) break;
          waiting.emplace(next_id, user);
          dispatcher.enqueue(next_id++, {0, user}, {random.below(2) ? "a" : "b"}, 0, begin);
          break;
        case 2:
          if (const auto id = dispatcher.next(begin)) {
            running.insert(*waiting.find(*id));
            waiting.erase(*id);
          }
          break;
        case 3:
          if (running.empty()) break;
          dispatcher.put_back(running.begin()->first);
          waiting.insert(*running.begin());
          running.erase(running.begin());
          break;
        default:
          if (running.empty()) break;
          dispatcher.finish(running.begin()->first, Feedback::kNeutral, {}, begin);
          running.erase(running.begin());
      }
      for (std::uint32_t one = 0; one < 4; ++one) {
        ASSERT_LE(count_of(running, one), kRunningMax) << "seed " << seed;
      }
      ASSERT_EQ(dispatcher.waiting(), waiting.size());
      ASSERT_EQ(dispatcher.in_flight(), running.size());
    }
    while (!waiting.empty() || !running.empty()) {
      while (const auto id = dispatcher.next(begin)) {
        running.insert(*waiting.find(*id));
        waiting.erase(*id);
      }
      ASSERT_FALSE(running.empty()) << "seed " << seed << ": something waits for ever";
      // What waits needs an end, not time: nothing must wake the worker meanwhile.
      dispatcher.finish(running.begin()->first, Feedback::kNeutral, {}, begin);
      running.erase(running.begin());
    }
  }
}

TEST(DispatcherOfUsers, WakesForNobodyWhoRunsAsManyAsHeMay) {
  const MonotonicTime begin{seconds(1000)};
  Dispatcher dispatcher({}, begin, {.running_max = 1});
  dispatcher.enqueue(1, {0, kAnn}, {"tool"}, 0, begin);
  dispatcher.enqueue(2, {0, kAnn}, {"tool"}, 0, begin);
  ASSERT_EQ(dispatcher.next(begin), JobId{1});
  EXPECT_EQ(dispatcher.next(begin), std::nullopt);
  EXPECT_TRUE(dispatcher.next_wake(begin).is_never());
  dispatcher.enqueue(3, {0, kBob}, {"tool"}, 0, begin);
  EXPECT_FALSE(dispatcher.next_wake(begin).is_never());
  EXPECT_EQ(dispatcher.next(begin), JobId{3});
}

}  // namespace
}  // namespace filecall::worker
