// SPDX-License-Identifier: MIT
#pragma once

#include "client/engine/interruption.h"

namespace filecall::client {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask the target to end soon, a second one to end also
/// what is in flight; a third one ends the program at once, with exit code 130 (nothing is lost:
/// every step is durable). SIGPIPE is
/// ignored, so that a closed terminal does not end a run. One at a time.
class InterruptScope {
 public:
  explicit InterruptScope(Interruption& target);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

}  // namespace filecall::client
