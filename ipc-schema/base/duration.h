// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace filecall {

/// Reads a duration as people write it on the command line and in YAML: a non-negative decimal
/// number and a unit out of `ns us ms s m h d` ("250ms", "1.5s", "5m", "7d"), or a bare "0".
/// At most ten years. Failure: invalid_argument with the accepted form.
Result<Duration> parse_duration(std::string_view text);
/// The shortest exact text that parse_duration reads back, e.g. "1500ms", "5m", "0s".
std::string format_duration(Duration duration);
/// Reads a size in bytes: "65536", "64KiB", "16MiB", "2GiB" or "10kB"/"5MB" (powers of 1000).
Result<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace filecall
