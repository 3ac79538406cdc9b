// SPDX-License-Identifier: MIT
#pragma once

#include "ipc/effects.h"

namespace filecall::worker {

/// What is recorded of a request before it starts, and found again if it is never answered.
struct StartRecord {
  int starts = 1;  ///< How often it was started, this time included; >= 1.
  Effects effects = Effects::kNone;

  bool operator==(const StartRecord&) const = default;
};

}  // namespace filecall::worker
