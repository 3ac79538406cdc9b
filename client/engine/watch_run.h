// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>

#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "client/store/state_store.h"

namespace filecall::client {

/// Requests that other programs dropped, and rows whose client died: everything that nobody owns.
/// Remembers eight bytes for each request that has ended, so that a scan does not ask the
/// database about every one again. Ends never.
class WatchRun final : public Intake {
 public:
  /// `store` is read by this thread: not the one that the driver's desk writes. All must outlive
  /// it.
  WatchRun(Driver& driver, RequestChannel& channel, StateStore& store, OwnerLiveness is_alive,
           int window);
  ~WatchRun() override { driver_.end_run(run_); }
  WatchRun(const WatchRun&) = delete;
  WatchRun& operator=(const WatchRun&) = delete;

  RunId run() const override { return run_; }
  Result<void> advance(MonotonicTime now) override;
  void take(const RequestOutcome&) override {}
  Standing standing() const override { return Standing::kGoesOn; }
  Deadline next_wake() const override;
  Spend spend() const override { return driver_.counts(run_).spend_now; }

 private:
  bool has_room() const;
  /// Takes up open rows without a live owner: a client's that died, and retried ones.
  Result<void> take_orphans();
  Result<void> adopt(const std::string& id);

  Driver& driver_;
  RequestChannel& channel_;
  StateStore& store_;
  OwnerLiveness is_alive_;
  int window_;
  RunId run_;
  std::deque<std::string> seen_;  ///< Names waiting for room.
  std::unordered_set<std::uint64_t> known_;
  std::string after_id_;  ///< Where the walk through open rows goes on.
  MonotonicTime next_orphans_{};
  MonotonicTime now_{};
};

}  // namespace filecall::client
