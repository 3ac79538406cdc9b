// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/time.h"
#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "client/engine/interruption.h"

namespace filecall::client {

/// How an interrupted run ends: nothing starts, and what waits in the worker is given back, so that
/// the next run asks for it. What executes is waited for; when the user asks once more, it is ended
/// as well. A worker that answers nothing is not waited for. One thread.
class RunStop {
 public:
  using Notice = std::function<void(const std::string&)>;

  /// All must outlive it.
  RunStop(Driver& driver, const Interruption& interruption, Notice notice)
      : driver_(driver), interruption_(interruption), notice_(std::move(notice)) {}

  /// Asked in every turn since the interruption: whether nothing is left to wait for.
  bool is_over(const Intake& intake, MonotonicTime now);
  Deadline next_wake() const { return patience_; }

 private:
  void begin(RunId run, CancelWish wish, MonotonicTime now);

  Driver& driver_;
  const Interruption& interruption_;
  Notice notice_;
  bool has_begun_ = false;
  CancelWish wish_ = CancelWish::kWithdrawWaiting;
  bool is_heard_ = false;
  Deadline patience_ = Deadline::never();
};

}  // namespace filecall::client
