// SPDX-License-Identifier: MIT
#pragma once

#include "base/clock.h"

namespace filecall {

/// The machine's clocks (os/clock.h) as a value that can be replaced. Any thread.
const Clock& system_clock();

}  // namespace filecall
