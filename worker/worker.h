// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/config/config.h"

namespace filecall::worker {

/// The server: composes sources, dispatcher, executors and outbox on one libuv loop. Callbacks only
/// record that something happened; turn() takes a bounded amount of work once per loop iteration.
class Worker {
 public:
  /// Opens every root of the configuration. Failures: a root's (spool::Root::open), unavailable
  /// (another worker serves it), bad tool declarations.
  static Result<std::unique_ptr<Worker>> open(const Config& config);
  virtual ~Worker() = default;

  /// Serves until stopped by SIGTERM/SIGINT, or until everything is answered with `drain`. False:
  /// it stopped because a root was taken away from it.
  virtual bool run() = 0;
};

}  // namespace filecall::worker
