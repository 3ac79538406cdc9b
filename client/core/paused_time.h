// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace filecall::client {

// What the pauses of a worker do to the time of an attempt. All of this is pure.

/// What is known of an attempt when its time is over.
struct OverdueAttempt {
  bool is_paused = false;   ///< Something that the worker starts is paused; perhaps not this.
  bool has_begun = false;   ///< By the worker.
  bool was_spared = false;  ///< Its time was over before, and it waited on.
};

enum class TimeVerdict : std::uint8_t {
  kExpires,
  kWaitsOn,      ///< A pause may hold it back: it is looked at again soon.
  kBeginsAgain,  ///< It waited behind a pause, and has its whole time from now on.
};

TimeVerdict judge_overdue(const OverdueAttempt& attempt);

/// Whether the time of an attempt begins again when pauses change or end: when the worker had not
/// begun it at `unchanged_at`, the last time that the pauses were seen as they had been. What ran
/// already was not held back, and has the time that it has.
bool begins_again(std::optional<WallTime> begun_at, WallTime unchanged_at);

}  // namespace filecall::client
