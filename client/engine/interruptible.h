// SPDX-License-Identifier: MIT
#pragma once

namespace filecall::client {

/// Something that runs for long and can be asked to end soon.
class Interruptible {
 public:
  virtual ~Interruptible() = default;
  /// Async-signal-safe.
  virtual void interrupt() = 0;
};

}  // namespace filecall::client
