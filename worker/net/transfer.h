// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"

namespace filecall::worker {

/// An exchange that was started, over a network or in its place. Destroying it ends it: its handler
/// hears nothing more. Loop thread only.
class Transfer {
 public:
  virtual ~Transfer() = default;

  /// Something came that the handler waits for (HttpRequest::has_own_progress).
  virtual void progress() = 0;
  /// The handler has all it wants; the transfer may take so much longer to end by itself, which
  /// lets a connection be kept. It then ends as kComplete or kTimeoutTotal.
  virtual void end_within(Duration left) = 0;
};

}  // namespace filecall::worker
