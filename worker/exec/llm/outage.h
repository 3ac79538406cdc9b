// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"

namespace filecall::worker::llm {

/// Whether a provider can be reached at all. While it cannot, calls fail at once, unsent, but for a
/// probe now and then; the first answer ends that. The client knows by the outage's age whether to
/// wait on (its --max-outage). Pure.
class Outage {
 public:
  /// Nobody answered in the provider's name: no address, no connection (`is_certain`), or a gateway
  /// before it said that it is not there (502-504) or dropped the connection unanswered. Both
  /// happen to single calls as well: several in a row are an outage.
  void note_failure(bool is_certain, std::string reason, MonotonicTime now) {
    if (failures_++ == 0) first_failure_ = now;
    if (!is_certain && failures_ < kGatewayFailures && !is_open()) return;
    if (!is_open()) {
      began_ = first_failure_;
      next_probe_ = {};
    }
    reason_ = std::move(reason);
    next_probe_ = std::max(next_probe_, now + pause(now));
  }
  void note_answer() {
    failures_ = 0;
    began_.reset();
    reason_.clear();
  }

  /// Whether a call may be sent now. While open, a true is the one probe of this pause.
  bool allows(MonotonicTime now) {
    if (!is_open()) return true;
    if (now < next_probe_) return false;
    next_probe_ = now + pause(now);
    return true;
  }

  bool is_open() const { return began_.has_value(); }
  /// May be empty while open.
  const std::string& reason() const { return reason_; }
  /// For how long nobody has answered; only while open.
  Duration age(MonotonicTime now) const { return std::max(now - *began_, Duration::zero()); }
  /// Until the next probe.
  Duration wait(MonotonicTime now) const { return std::max(next_probe_ - now, Duration::zero()); }

 private:
  static constexpr int kGatewayFailures = 3;

  /// Short outages are soon over; of long ones a probe a quarter of a minute is enough.
  Duration pause(MonotonicTime now) const {
    return std::clamp<Duration>(age(now) / 4, seconds(1), seconds(15));
  }

  int failures_ = 0;  ///< In a row.
  MonotonicTime first_failure_{};
  std::optional<MonotonicTime> began_;  ///< Of the outage; absent: there is none.
  std::string reason_;
  MonotonicTime next_probe_{};
};

}  // namespace filecall::worker::llm
