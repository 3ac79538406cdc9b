// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall::worker::kube {

/// What the loss of an object means for another one.
enum class Severity : std::uint8_t {
  kNone,      ///< Nothing is affected.
  kInfo,      ///< A relation; nothing breaks.
  kLow,       ///< Inert leftovers.
  kMedium,    ///< Breaks at the next restart, scale or provisioning, or a safety net is gone.
  kHigh,      ///< Breaks for some now, cannot start again, or what is allowed changes.
  kCritical,  ///< Traffic or data is lost now.
};

std::string_view to_string(Severity severity);
std::optional<Severity> parse_severity(std::string_view name);
/// One level less; kInfo and kNone stay.
Severity lowered(Severity severity);

}  // namespace filecall::worker::kube
