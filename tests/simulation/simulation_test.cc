// SPDX-License-Identifier: MIT
// Schedules of the client's real driver and the worker's real runner over one World: virtual time,
// lost and reordered notifications, death of either side between any two steps. A failing seed is
// printed and replays alone:   FILECALL_SIM_SEED=123 simulation_test
// More of them:                FILECALL_SIM_COUNT=10000 simulation_test
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "tests/simulation/driven_client.h"
#include "tests/simulation/simulated_worker.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {
namespace {

constexpr int kRequests = 8;
constexpr int kChaosTurns = 400;
constexpr int kSettleTurnsMax = 200'000;

/// Opening a database for every schedule would take longer than the schedule.
client::StateStore& empty_store() {
  static const std::unique_ptr<client::StateStore> store =
      std::move(*client::StateStore::open_in_memory());
  for (Id id = 0; id < kRequests; ++id) {
    CHECK(store->remove(name_of(id)).has_value(), "memory does not fail");
  }
  return *store;
}

SimulatedCommands& simulated_commands() {
  static SimulatedCommands commands;
  return commands;
}

/// Planted to show that they are found.
struct Faults {
  ClientFaults client = {};
  worker::MemorySource::Fault worker = worker::MemorySource::Fault::kNone;
};

struct Run {
  Run(std::uint64_t seed, Faults planted)
      : world(seed), faults(planted), turns_of_life(world.chance(2) ? 40 : 200) {}

  /// One step of the schedule. `is_chaotic`: either side may die, and comes back later.
  void turn(bool is_chaotic) {
    world.now_ms += static_cast<std::int64_t>(world.random.below(is_chaotic ? 4 : 24));
    if (is_chaotic && world.chance(turns_of_life)) worker.reset();
    if (is_chaotic && client && world.chance(turns_of_life)) {
      client->die();
      client.reset();
    }
    if (!worker && (!is_chaotic || world.chance(10))) {
      worker.emplace(world, root, simulated_commands(), kRequests, faults.worker);
    }
    if (!client && (!is_chaotic || world.chance(10))) {
      client = std::make_unique<DrivenClient>(world, store, kRequests, policy, faults.client);
    }
    if (worker && world.chance(2)) {
      worker->turn();
    } else if (client) {
      client->turn();
    }
  }

  client::RequestProgress progress(Id id) const {
    const auto row = store.find(name_of(id));
    return row && *row ? (*row)->progress : client::RequestProgress{};
  }
  bool is_over() const { return client && client->is_idle(); }

  World world;
  worker::MemoryRoot root;
  Faults faults;
  std::uint64_t turns_of_life;  ///< Of either side, on average, while there is chaos.
  client::StateStore& store = empty_store();
  client::RetryPolicy policy{.attempts_max = 3,
                             .backoff_base = milliseconds(20),
                             .backoff_max = milliseconds(80),
                             .pause_max = seconds(4)};
  std::optional<SimulatedWorker> worker;
  std::unique_ptr<DrivenClient> client;
};

/// What is not as it must be of one request when everything has come to rest; empty: nothing.
std::string violation(const Run& run, Id id) {
  const client::RequestProgress row = run.progress(id);
  const World& world = run.world;
  if (!world.requests.contains(id)) return "a request file was removed";
  if (row.attempt < 1) return "no attempt";
  if (row.counted_attempts() > run.policy.attempts_max) return "too many attempts";
  if (row.paused > run.policy.pause_max) return "paused for too long";
  if (row.pauses > 4) return "each pause takes a second of the four";
  if (!row.is_settled()) return "not at its end";
  const auto response = world.responses.find(id);
  const bool has_success = response != world.responses.end() && response->second.is_success;
  const auto executed = world.executions.find(id);
  const int executions = executed == world.executions.end() ? 0 : executed->second;
  if (row.state == client::RequestState::kSuccess) {
    if (!has_success) return "SUCCESS without a success";
    if (world.failed.contains(id)) return "SUCCESS with a copy in failed/";
    if (executions < 1) return "SUCCESS without an execution";
  } else if (!world.failed.contains(id)) {
    return "given up without a copy";
  }
  const bool has_effects = effects_of(id) == Effects::kExternal;
  if (executions > (has_effects ? 1 : 2) * row.attempt) return "started more often than attempted";
  return {};
}

/// What is wrong in the end of one schedule; empty: nothing.
std::string simulate(std::uint64_t seed, Faults faults) {
  Run run(seed, faults);
  for (int i = 0; i < kChaosTurns; ++i) run.turn(true);
  int turns = 0;
  while (!run.is_over() && turns++ < kSettleTurnsMax) run.turn(false);
  if (!run.is_over()) return "a request never came to its end";
  if (run.world.lost_successes > 0) return "a success that nobody had counted was deleted";
  if (run.world.uncounted_discards > 0) return "an answer was deleted before its row counted it";
  for (Id id = 0; id < kRequests; ++id) {
    const std::string wrong = violation(run, id);
    if (!wrong.empty()) return "request " + std::to_string(id) + ": " + wrong;
  }
  return {};
}

/// The first seed that finds something; 0: none does.
std::uint64_t first_finding_seed(std::uint64_t schedules, Faults faults) {
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    if (!simulate(seed, faults).empty()) return seed;
  }
  return 0;
}

TEST(Simulation, EveryRequestEndsOnceWhateverDiesWhenever) {
  std::uint64_t first = 1;
  const char* wanted = std::getenv("FILECALL_SIM_COUNT");
  std::uint64_t last = wanted == nullptr ? 800 : std::strtoull(wanted, nullptr, 10);
  if (const char* seed = std::getenv("FILECALL_SIM_SEED")) {
    first = last = std::strtoull(seed, nullptr, 10);
  }
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    ASSERT_EQ(simulate(seed, {}), "") << "FILECALL_SIM_SEED=" << seed;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const auto count = last - first + 1;
  const auto rate = static_cast<int>(static_cast<double>(count) / took.count());
  RecordProperty("schedules_per_second", rate);
  fmt::print("{} schedules, {} a second\n", count, rate);
}

TEST(Simulation, FindsAClientThatDeletesAnAnswerWithoutComparingVersions) {
  EXPECT_NE(
      first_finding_seed(5000, {.client = {.channel = ChannelFault::kDiscardsWhateverIsThere}}),
      0u);
}

TEST(Simulation, FindsAClientThatActsBeforeItsRowIsDurable) {
  EXPECT_NE(first_finding_seed(5000, {.client = {.desk = DeskFault::kActsBeforeCommit}}), 0u);
}

TEST(Simulation, FindsAWorkerThatForgetsWhatItStarted) {
  EXPECT_NE(first_finding_seed(5000, {.worker = worker::MemorySource::Fault::kForgetsStarts}), 0u);
}

}  // namespace
}  // namespace filecall::simulation
