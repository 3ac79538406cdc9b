// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"

namespace filecall {

struct LogOptions {
  /// A file to append to, rotated; empty: standard error.
  std::string path;
  std::size_t rotate_bytes = 10 * 1024 * 1024;
  std::size_t rotated_files = 5;
  /// One JSON object a line ({"time","level","message","pid"}) instead of text.
  bool json = false;
  /// Colour the level on standard error. The caller decides (a terminal, and NO_COLOR unset).
  bool colour = false;
};

/// A sink on spdlog; a file is a RotatingFile and has each line when the call returns. Thread-safe.
/// Failure: the file cannot be opened.
Result<std::unique_ptr<LogSink>> make_log_sink(const LogOptions& options);

}  // namespace filecall
