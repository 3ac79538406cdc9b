// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "ipc/request.h"

namespace filecall::spool {

/// Whose a file is.
struct FileOwner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

/// One file of requests/ that must be answered.
struct Arrival {
  std::string stem;
  /// A request, or why the file is none (already past all patience: answer it).
  Result<Request, RequestFault> content;
  std::size_t bytes = 0;  ///< The file's size, an estimate of what keeping it costs.
  WallTime received_at{};
  MonotonicTime noticed_at{};
  FileOwner owner{};
};

}  // namespace filecall::spool
