// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

enum class Severity : std::uint8_t {
  kGood,
  kNote,     ///< Works, but slower or weaker than it could.
  kProblem,  ///< Does not work, or will not for long.
};
constexpr std::string_view to_string(Severity severity) {
  constexpr std::string_view kNames[] = {"good", "note", "problem"};
  return kNames[static_cast<int>(severity)];
}

/// One thing that was looked at.
struct Finding {
  Severity severity = Severity::kGood;
  std::string subject;  ///< One or two words: "root", "disk", ...
  std::string text;     ///< What was found.
  std::string advice;   ///< What to do; empty when good.
};
using Findings = std::vector<Finding>;

}  // namespace filecall::client
