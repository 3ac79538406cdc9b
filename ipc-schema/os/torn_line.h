// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace filecall {

/// What set_torn_line_aside() did.
struct TornLine {
  std::int64_t size = 0;   ///< Of the file, which ends with a newline or is empty.
  std::int64_t bytes = 0;  ///< That were cut off; 0: the last line was whole.
  std::string kept_as;     ///< The path of the file that has them.
};

/// Of a file to which lines are only appended: keeps a last line without a newline (its writer was
/// killed) as `{path}.torn-{n}`, and cuts it off. Call it under the lock of the writers. Blocking.
/// Failures: the file's; resource_exhausted, the line is longer than `line_bytes_max` or too many
/// were set aside.
Result<TornLine> set_torn_line_aside(int fd, const std::string& path, std::int64_t line_bytes_max);

}  // namespace filecall
