// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "base/time.h"
#include "worker/net/http_message.h"

namespace filecall::worker {

/// The four clocks of one transfer (HttpTimeouts). Pure: it hears what happened and when, and says
/// when to look again and which clock ran out.
class TransferClock {
 public:
  TransferClock(const HttpTimeouts& timeouts, MonotonicTime now)
      : timeouts_(timeouts), begun_at_(now), total_(Deadline::after(now, timeouts.total)) {}

  void on_connected(MonotonicTime now);
  /// Bytes came, whatever they are.
  void on_bytes(MonotonicTime now) { bytes_at_ = now; }
  /// Something came that the consumer waits for.
  void on_progress(MonotonicTime now);
  /// All that matters has come: only so much longer for the transfer's own end.
  void end_within(Duration left, MonotonicTime now);

  /// When the clock that runs now runs out.
  Deadline next() const;
  /// When to look again so that no clock runs out unseen, also one that is not running yet; what
  /// happens in between changes no wake-up (except end_within).
  Deadline next_look(MonotonicTime now) const;
  /// The clock that has run out.
  std::optional<HttpEnd> expired(MonotonicTime now) const;

  MonotonicTime begun_at() const { return begun_at_; }
  std::optional<MonotonicTime> connected_at() const { return connected_at_; }

 private:
  Deadline idle() const;

  HttpTimeouts timeouts_;
  MonotonicTime begun_at_;
  Deadline total_;
  std::optional<MonotonicTime> connected_at_;
  std::optional<MonotonicTime> progress_at_;
  MonotonicTime bytes_at_{};
};

}  // namespace filecall::worker
