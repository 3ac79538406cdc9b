// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client/engine/driver.h"
#include "client/store/state_store.h"
#include "tests/simulation/manual_desk.h"
#include "tests/simulation/memory_channel.h"
#include "tests/simulation/simulated_request.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {

struct ClientFaults {
  ChannelFault channel = ChannelFault::kNone;
  DeskFault desk = DeskFault::kNone;
};

/// The client's real driver on a World and a database in memory. Every turn is one visible step;
/// between any two of them it may be destroyed, which is its death.
class DrivenClient {
 public:
  DrivenClient(World& world, client::StateStore& store, int request_count,
               const client::RetryPolicy& policy, ClientFaults faults)
      : world_(world),
        request_count_(request_count),
        channel_(world, faults.channel),
        desk_(client::Clerk(
                  store, channel_, "me", [](std::string_view) { return false; }, nullptr),
              faults.desk) {
    client::DriverOptions options;
    options.owner = "me";
    options.retry = policy;
    // Half of its lives are too hasty for this worker.
    options.attempt_timeout = milliseconds(world.chance(2) ? 500 : 5000);
    options.cancel_patience = milliseconds(200);
    options.seed = world.random.next();
    options.wall_clock = [&world] { return world.wall(); };
    driver_ =
        std::move(*client::Driver::open(options, channel_, desk_, nullptr, world.monotonic()));
    channel_.watch_discards([&](Id id, const client::AnswerVersion& version) {
      if (!is_counted(store, id, version)) ++world.uncounted_discards;
    });
    driver_->set_server(true, world.monotonic());
    const client::RunId run = driver_->begin_run({});
    for (Id id = 0; id < request_count; ++id) {
      const Request request = request_of(id);
      driver_->submit({.request_id = request.request_id,
                       .command = request.command,
                       .bytes = render_request(request),
                       .run = run});
    }
  }

  /// A step of the desk, or a turn of the driver, with hints that are lost, doubled and late.
  void turn() {
    if (desk_.has_batch() && !world_.chance(4)) return desk_.step();
    if (!world_.chance(3)) {
      channel_.hint(
          static_cast<Id>(world_.random.below(static_cast<std::uint64_t>(request_count_))));
    }
    CHECK(driver_->turn(world_.monotonic()).has_value(), "memory does not fail");
    driver_->take_outcomes();
  }

  /// Dies in the middle of whatever it does.
  void die() {
    channel_.die_after(static_cast<int>(world_.random.below(3)));
    if (desk_.has_batch()) desk_.step();
  }

  /// All its requests have their outcomes.
  bool is_idle() const { return driver_->is_idle(); }

 private:
  /// Its row counts the answer, and the attempt for which it is deleted. What the desk does before
  /// that a crash makes undone in the row alone: an attempt that nobody counts.
  static bool is_counted(client::StateStore& store, Id id, const client::AnswerVersion& version) {
    const auto row = store.find(name_of(id));
    if (!row || !*row) return false;
    const client::RequestProgress& progress = (*row)->progress;
    return progress.state != client::RequestState::kWaiting && progress.counted_response &&
           progress.counted_response->is_seen_in(version);
  }

  World& world_;
  int request_count_;
  MemoryChannel channel_;
  ManualDesk desk_;
  std::unique_ptr<client::Driver> driver_;
};

}  // namespace filecall::simulation
