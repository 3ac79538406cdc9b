// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/agent/plan/plan_text.h"

namespace filecall::client {

/// A call and what it led to.
struct LoopStep {
  std::string tool;
  Json args;
  std::string result_digest;  ///< Of its answer, or its error.
};

/// What stands for a step: equal for the same calls with the same results, whatever the order of
/// members. The same call with another result (polling) is another step. Pure.
std::string loop_key(const std::vector<LoopStep>& calls);

/// Notices that a run makes no progress: a step, or a cycle of up to five steps, that repeats.
/// Pure; one thread.
class LoopGuard {
 public:
  enum class Kind : std::uint8_t { kFine, kWarn, kEnd };
  struct Verdict {
    Kind kind = Kind::kFine;
    int cycle = 0;    ///< Steps that repeat; 0: none.
    int repeats = 0;  ///< How often they were done in a row.
    /// "the same step with the same result 3 times in a row"; empty when fine.
    std::string text;
  };

  static constexpr int kCycleMax = 5;
  static constexpr int kWarnAt = 3;
  static constexpr int kEndAt = 5;

  /// After each step. Warns when something was done three times, ends when five times.
  Verdict add(std::string key);

 private:
  std::vector<std::string> keys_;  ///< The last kCycleMax * kEndAt.
};

}  // namespace filecall::client
