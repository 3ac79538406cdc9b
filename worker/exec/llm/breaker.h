// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "base/time.h"

namespace filecall::worker::llm {

/// Fails calls at once whose failure is known beforehand (no quota left, a wrong key, a model that
/// is not there) instead of sending each of a thousand to hear the same. After a pause one call is
/// let through; its success closes the breaker, its failure opens it again. Pure.
class Breaker {
 public:
  explicit Breaker(Duration pause) : pause_(pause) {}

  /// Whether a call may be sent now. While open, a true is the one trial of this pause.
  bool allows(MonotonicTime now) {
    if (!is_open()) return true;
    if (now < next_trial_) return false;
    next_trial_ = now + pause_;
    return true;
  }
  void open(std::string reason, MonotonicTime now) {
    is_open_ = true;
    reason_ = std::move(reason);
    next_trial_ = now + pause_;
  }
  void close() {
    is_open_ = false;
    reason_.clear();
  }

  bool is_open() const { return is_open_; }
  /// Why it is open; may be empty then, is empty when it is not.
  const std::string& reason() const { return reason_; }

 private:
  Duration pause_;
  bool is_open_ = false;
  std::string reason_;
  MonotonicTime next_trial_{};
};

}  // namespace filecall::worker::llm
