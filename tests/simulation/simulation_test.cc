// SPDX-License-Identifier: MIT
// Thousands of schedules of both programs' decisions on one modelled directory: virtual time, lost
// and reordered notifications, death of either side between any two steps. A failing seed is
// printed and replays alone:   FILECALL_SIM_SEED=123 simulation_test
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/simulation/model_client.h"
#include "tests/simulation/model_worker.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {
namespace {

constexpr int kRequests = 8;
constexpr int kChaosTurns = 400;
constexpr int kSettleTurnsMax = 200'000;

struct Run {
  explicit Run(std::uint64_t seed) : world(seed) {}

  /// One step of the schedule. `is_chaotic`: either side may die, and comes back later.
  void turn(bool is_chaotic) {
    world.now_ms += static_cast<std::int64_t>(world.random.below(4));
    if (is_chaotic && world.chance(40)) worker.reset();
    if (is_chaotic && world.chance(40)) client.reset();
    if (!worker && (!is_chaotic || world.chance(10))) worker.emplace(world, kRequests);
    if (!client && (!is_chaotic || world.chance(10))) {
      client.emplace(world, ledger, kRequests, policy);
    }
    if (worker && world.chance(2)) {
      worker->turn();
    } else if (client) {
      client->turn();
    }
  }

  bool is_over() const {
    if (!client || !client->is_idle()) return false;
    for (Id id = 0; id < kRequests; ++id) {
      const auto row = ledger.find(id);
      if (row == ledger.end() || !client::is_final(row->second.state)) return false;
    }
    return true;
  }

  World world;
  Ledger ledger;
  client::RetryPolicy policy{.attempts_max = 3,
                             .backoff_base = milliseconds(20),
                             .backoff_max = milliseconds(80),
                             .pause_max = seconds(4)};
  std::optional<ModelWorker> worker;
  std::optional<ModelClient> client;
};

/// What must be true of the files and the ledger when everything has come to rest.
void check(const Run& run) {
  for (Id id = 0; id < kRequests; ++id) {
    SCOPED_TRACE("request " + std::to_string(id));
    const auto& row = run.ledger.at(id);
    ASSERT_TRUE(run.world.requests.contains(id)) << "a request file is never removed";
    ASSERT_GE(row.attempt, 1);
    ASSERT_LE(row.counted_attempts(), run.policy.attempts_max);
    ASSERT_LE(row.paused, run.policy.pause_max);
    ASSERT_LE(row.pauses, 4) << "each pause takes a second of the four";
    const auto response = run.world.responses.find(id);
    const bool has_success = response != run.world.responses.end() && response->second.is_success;
    if (row.state == client::RequestState::kSuccess) {
      ASSERT_TRUE(has_success);
      ASSERT_FALSE(run.world.failed.contains(id));
    } else {
      ASSERT_TRUE(run.world.failed.contains(id)) << "given up without a copy";
    }
    const auto executed = run.world.executions.find(id);
    const int executions = executed == run.world.executions.end() ? 0 : executed->second;
    if (ModelWorker::effects_of(id) == Effects::kExternal) {
      ASSERT_LE(executions, row.attempt) << "an attempt with effects was started twice";
    } else {
      ASSERT_LE(executions, 2 * row.attempt);
    }
    if (row.state == client::RequestState::kSuccess) {
      ASSERT_GE(executions, 1);
    }
  }
}

void simulate(std::uint64_t seed) {
  SCOPED_TRACE("FILECALL_SIM_SEED=" + std::to_string(seed));
  Run run(seed);
  for (int i = 0; i < kChaosTurns; ++i) run.turn(true);
  int turns = 0;
  while (!run.is_over() && turns++ < kSettleTurnsMax) run.turn(false);
  ASSERT_TRUE(run.is_over()) << "a request never came to its end";
  check(run);
}

TEST(Simulation, EveryRequestEndsOnceWhateverDiesWhenever) {
  if (const char* seed = std::getenv("FILECALL_SIM_SEED")) {
    return simulate(std::strtoull(seed, nullptr, 10));
  }
  const char* count = std::getenv("FILECALL_SIM_COUNT");
  const std::uint64_t schedules = count == nullptr ? 5000 : std::strtoull(count, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    simulate(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace filecall::simulation
