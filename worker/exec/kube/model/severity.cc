// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/severity.h"

#include <array>

namespace filecall::worker::kube {
namespace {

constexpr std::array kSeverityNames =
    std::to_array<std::string_view>({"none", "info", "low", "medium", "high", "critical"});

}  // namespace

std::string_view to_string(Severity severity) {
  return kSeverityNames[static_cast<std::size_t>(severity)];
}

std::optional<Severity> parse_severity(std::string_view name) {
  for (std::size_t i = 0; i < kSeverityNames.size(); ++i) {
    if (kSeverityNames[i] == name) return static_cast<Severity>(i);
  }
  return std::nullopt;
}

Severity lowered(Severity severity) {
  return severity <= Severity::kInfo ? severity
                                     : static_cast<Severity>(static_cast<int>(severity) - 1);
}

}  // namespace filecall::worker::kube
