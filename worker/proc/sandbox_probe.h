// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace filecall::worker {

/// What this machine can give to a confined program (worker/proc/sandbox/protections.h).
struct SandboxProbe {
  std::uint32_t available = 0;  ///< Bits of guard::Protection.
  struct Missing {
    std::uint32_t bit = 0;
    std::string name;
    std::string reason;  ///< Why, and what is not kept without it.
    std::string advice;
  };
  std::vector<Missing> missing;
};

/// Reads what `filecall-guard --probe` prints; a protection that no line names is missing. Pure.
SandboxProbe parse_probe(std::string_view text);

/// Asks the guard; takes some milliseconds. Failure: it cannot be run.
Result<SandboxProbe> probe_sandbox(const std::string& guard);

}  // namespace filecall::worker
