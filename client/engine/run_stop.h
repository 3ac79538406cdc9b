// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/time.h"
#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "client/engine/interruption.h"

namespace filecall::client {

/// How an interrupted run ends. Nothing starts, and what waits in the worker is given back, so that
/// the next run asks for it. What executes is waited for; when the user asks once more, it is ended
/// as well. A worker that answers nothing is not waited for. Says what is left, and how many calls
/// may be billed. One thread.
class RunStop {
 public:
  using Notice = std::function<void(const std::string&)>;

  /// All must outlive it.
  RunStop(Driver& driver, const Interruption& interruption, Notice notice)
      : driver_(driver), interruption_(interruption), notice_(std::move(notice)) {}

  /// Asked in every turn since the interruption: whether nothing is left to wait for.
  /// `has_worker`: somebody is there who may answer.
  bool is_over(const Intake& intake, bool has_worker, MonotonicTime now);
  /// The root had a worker during the run: it may have what was dropped.
  void set_seen_worker(bool has_seen) { has_seen_worker_ = has_seen; }
  Deadline next_wake() const { return Deadline::at(next_look_); }

 private:
  void begin(RunId run, CancelWish wish, MonotonicTime now);
  /// Whether the worker may still answer what it was asked.
  bool is_heard(RunId run, MonotonicTime now);
  void conclude(RunId run);

  Driver& driver_;
  const Interruption& interruption_;
  Notice notice_;
  bool has_begun_ = false;
  bool has_seen_worker_ = false;
  bool has_said_ = false;  ///< What it waits for.
  CancelWish wish_ = CancelWish::kWithdrawWaiting;
  std::int64_t unheard_ = 0;
  MonotonicTime next_look_{};
  Deadline patience_ = Deadline::never();
};

}  // namespace filecall::client
