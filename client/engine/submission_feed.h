// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/core/submission.h"

namespace filecall::client {

/// Yields submissions one by one, so that memory is bounded by the window and not by the batch.
class SubmissionFeed {
 public:
  virtual ~SubmissionFeed() = default;
  /// Failure: the input became unreadable midway; nothing more comes.
  virtual Result<Offer> next() = 0;
  /// Nothing begins any more: what waits for others is given out as well, to be looked up.
  virtual void stop() {}
  /// What ends may lead to more than is known yet.
  virtual bool is_open_ended() const { return false; }
};

}  // namespace filecall::client
