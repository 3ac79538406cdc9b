// SPDX-License-Identifier: MIT
#include "client/engine/feed_intake.h"

#include "ipc/limits.h"

namespace filecall::client {

Result<void> FeedIntake::take(Session& session, MonotonicTime) {
  for (int taken = 0; taken < limits::kArrivalsPerTurn; ++taken) {
    if (is_exhausted_ || !session.wants_more()) return {};
    auto next = feed_.next();
    if (!next) {
      error_ = next.error();
      is_exhausted_ = true;
    } else if (!*next) {
      is_exhausted_ = true;
    } else {
      TRY(session.is_stopping() ? session.leave(**next) : session.adopt(std::move(**next)));
    }
  }
  return {};
}

}  // namespace filecall::client
