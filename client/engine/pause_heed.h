// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "spool/pauses.h"

namespace filecall::client {

/// What a run does about the pauses of its root: it holds its own batch back, and waits without a
/// time-out for what the worker holds back. One thread.
class PauseHeed {
 public:
  PauseHeed(const spool::Layout& layout, std::string batch)
      : look_(layout), batch_(std::move(batch)) {}

  /// Looks, now and then, and tells driver and intake. What people should hear when it changed.
  std::optional<std::string> look(Driver& driver, Intake& intake, MonotonicTime now);
  /// The word on a ready worker that a progress display shows.
  std::string label(std::string worker) const;

 private:
  bool is_batch_paused() const { return look_.set().batches.contains(batch_); }

  spool::PauseLook look_;
  std::string batch_;
  MonotonicTime next_look_{};
  WallTime last_look_{};
  bool has_looked_ = false;
};

}  // namespace filecall::client
