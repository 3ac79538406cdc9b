// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "client/core/request_state.h"
#include "client/core/spend.h"
#include "client/core/submission.h"

namespace filecall::client {

/// One run over a driver: gives it submissions and knows when it is over.
class Intake {
 public:
  enum class Standing { kGoesOn, kDone, kLimit };

  virtual ~Intake() = default;
  virtual RunId run() const = 0;
  /// Submits what the driver should have now; not more than a turn's worth.
  virtual Result<void> advance(MonotonicTime now) = 0;
  /// An outcome of this run.
  virtual void take(const RequestOutcome& outcome) = 0;
  virtual Standing standing() const = 0;
  /// When advance() should be called although nothing happened.
  virtual Deadline next_wake() const = 0;
  /// What it has used, as far as it is known.
  virtual Spend spend() const = 0;
  /// People have paused its batch: nothing of it begins until they resume it.
  virtual void set_paused(bool) {}
  /// Whether its requests are given back when it is interrupted; else they go on without a client.
  virtual bool is_withdrawn() const { return false; }
};

}  // namespace filecall::client
