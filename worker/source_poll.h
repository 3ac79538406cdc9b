// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include "base/clock.h"
#include "worker/engine/source.h"

namespace filecall::worker {

/// Lets a loop call a source when its descriptor is readable. Loop thread only; the loop must run
/// once more after it is destroyed, and the source must outlive it.
class SourcePoll {
 public:
  SourcePoll(uv_loop_t* loop, Source& source, const Clock& clock);
  ~SourcePoll() { close(); }
  SourcePoll(const SourcePoll&) = delete;
  SourcePoll& operator=(const SourcePoll&) = delete;

  /// Follows a source that switched to polling, or to a new descriptor.
  void update();

 private:
  struct Handle {
    uv_poll_t poll{};
    Source* source = nullptr;
    const Clock* clock = nullptr;
  };
  void close();

  uv_loop_t* loop_;
  Source& source_;
  const Clock& clock_;
  Handle* handle_ = nullptr;  ///< Freed when the loop has closed it.
  int fd_ = -1;
};

}  // namespace filecall::worker
