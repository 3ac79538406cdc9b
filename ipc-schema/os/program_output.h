// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace filecall {

enum class Environment : std::uint8_t { kEmpty, kInherited };

/// Runs a short program of ours and returns what it writes to standard output, at most 64 KiB. It
/// gets no input; blocks until it ends, at most `patience`, then kills it.
/// Failures: errno's (it cannot be started), deadline_exceeded, internal (it exits with anything
/// but 0).
Result<std::string> program_output(const std::vector<std::string>& argv, Duration patience,
                                   Environment environment = Environment::kEmpty);

}  // namespace filecall
