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

/// A short program of ours, and where it runs.
struct ProgramCall {
  std::vector<std::string> argv;
  Duration patience{};
  Environment environment = Environment::kEmpty;
  std::string directory{};  ///< Empty: the current one.
  bool is_silent = false;   ///< What it writes to standard error is not shown.
};
struct ProgramEnd {
  std::string output;  ///< At most 64 KiB of what it wrote to standard output.
  int exit_code = 0;   ///< -1: a signal ended it.
};
/// The same, whatever it exits with.
Result<ProgramEnd> call_program(const ProgramCall& call);

}  // namespace filecall
