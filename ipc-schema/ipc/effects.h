// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall {

/// What a command may leave behind in the world. `kExternal` is never started twice: after a crash
/// its effects are unknown. `kNone` may be run again.
enum class Effects : std::uint8_t { kNone, kExternal };

constexpr std::string_view to_string(Effects effects) {
  return effects == Effects::kNone ? "none" : "external";
}
constexpr std::optional<Effects> parse_effects(std::string_view name) {
  if (name == "none") return Effects::kNone;
  if (name == "external") return Effects::kExternal;
  return std::nullopt;
}

/// How much harm a command can do when it is used wrongly; for approval policies and planners.
enum class Risk : std::uint8_t { kLow, kMedium, kHigh, kCritical };

constexpr std::string_view to_string(Risk risk) {
  constexpr std::string_view kNames[] = {"low", "medium", "high", "critical"};
  return kNames[static_cast<int>(risk)];
}
constexpr std::optional<Risk> parse_risk(std::string_view name) {
  for (const Risk risk : {Risk::kLow, Risk::kMedium, Risk::kHigh, Risk::kCritical}) {
    if (to_string(risk) == name) return risk;
  }
  return std::nullopt;
}

}  // namespace filecall
