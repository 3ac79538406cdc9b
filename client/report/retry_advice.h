// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace filecall::client {

/// The commands that ask again what was given up, by the numbers of its last errors, as
/// RunSummary::by_error() has them: "'filecall retry --failed'". That leaves out what somebody
/// cancelled and what may have had effects (aborted), which --code takes. Pure; empty when nothing
/// was given up.
std::string retry_commands(const std::array<std::int64_t, kErrorCodeCount>& by_error);

}  // namespace filecall::client
