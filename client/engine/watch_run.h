// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>

#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "client/store/state_store.h"
#include "spool/name_list.h"

namespace filecall::client {

/// Requests that other programs dropped, and rows whose client died: everything that nobody owns.
/// Remembers eight bytes for each request that has ended, so that a scan does not ask the
/// database about every one again. Ends never, or with nothing left to do.
class WatchRun final : public Intake {
 public:
  /// `store` is read by this thread: not the one that the driver's desk writes. All must outlive
  /// it.
  WatchRun(Driver& driver, RequestChannel& channel, StateStore& store, OwnerLiveness is_alive,
           int window);
  /// Ends when everything has ended that was there when it began (`names`) or was seen since, but
  /// for what other clients drive.
  void end_when_idle(spool::NameList names);
  ~WatchRun() override { driver_.end_run(run_); }
  WatchRun(const WatchRun&) = delete;
  WatchRun& operator=(const WatchRun&) = delete;

  RunId run() const override { return run_; }
  Result<void> advance(MonotonicTime now) override;
  void take(const RequestOutcome&) override {}
  Standing standing() const override;
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
  spool::NameList first_;       ///< Names that were there when it began.
  std::size_t next_first_ = 0;  ///< Of these, what comes next.
  bool ends_when_idle_ = false;
  bool has_seen_orphans_ = false;  ///< All open rows were looked at once.
  std::string after_id_;           ///< Where the walk through open rows goes on.
  MonotonicTime next_orphans_{};
  MonotonicTime now_{};
};

}  // namespace filecall::client
