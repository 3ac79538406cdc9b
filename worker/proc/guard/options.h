// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// What the tool may use. -1: whatever the worker itself may.
struct Limits {
  std::int64_t memory_bytes = -1;  ///< Address space of one process (RLIMIT_AS).
  std::int64_t cpu_seconds = -1;   ///< CPU time of one process (RLIMIT_CPU).
  std::int64_t files = -1;         ///< Open descriptors of one process (RLIMIT_NOFILE).
  std::int64_t file_bytes = -1;    ///< Size of a written file (RLIMIT_FSIZE).
  std::int64_t processes = -1;     ///< Processes of this user (RLIMIT_NPROC).
};

struct Options {
  Limits limits;
  SandboxOptions sandbox;
  const char* group = "";  ///< What the path of the run's control group begins with; "": none.
  std::int64_t kill_delay_ms = 2000;  ///< From TERM to KILL.
  const char* program = nullptr;      ///< The file to execute; no PATH search.
  char** argv = nullptr;              ///< The tool's argv, null-terminated.
  char** environment = nullptr;       ///< The tool's whole environment, null-terminated.
};

/// Reads `NAME [--NAME=VALUE]... PROGRAM ARGV0 [ARG]...`, all but the environment; what it gives
/// points into `argv`. Returns null when all is well, else the word that was not understood.
const char* parse_options(int argc, char** argv, Options* options);

}  // namespace filecall::worker::guard
