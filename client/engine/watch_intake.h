// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>

#include "client/engine/session.h"

namespace filecall::client {

/// Requests that other programs dropped, and rows whose client died: everything that nobody owns.
/// Remembers eight bytes for each request that has ended, so that a scan does not ask the
/// database about every one again.
class WatchIntake final : public Intake {
 public:
  Result<void> take(Session& session, MonotonicTime now) override;
  bool is_exhausted() const override { return false; }
  Deadline next_wake() const override;
  bool wants_requests() const override { return true; }
  void on_request(std::string_view stem) override;

 private:
  /// Takes up open rows without a live owner: a client's that died, and retried ones.
  Result<void> take_orphans(Session& session);
  Result<void> adopt(Session& session, const std::string& stem);

  std::deque<std::string> seen_;  ///< Names waiting for room.
  std::unordered_set<std::uint64_t> known_;
  std::string after_id_;  ///< Where the walk through open rows goes on.
  MonotonicTime next_orphans_{};
  MonotonicTime now_{};
  bool had_room_ = true;
};

}  // namespace filecall::client
