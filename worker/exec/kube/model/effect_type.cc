// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/effect_type.h"

#include <array>

namespace filecall::worker::kube {
namespace {

constexpr std::array kEffectNames =
    std::to_array<std::string_view>({"", "breaks", "loses", "exposed", "orphaned"});

}  // namespace

std::string_view to_string(EffectType type) { return kEffectNames[static_cast<std::size_t>(type)]; }

std::optional<EffectType> parse_effect_type(std::string_view name) {
  for (std::size_t i = 0; i < kEffectNames.size(); ++i) {
    if (kEffectNames[i] == name) return static_cast<EffectType>(i);
  }
  return std::nullopt;
}

}  // namespace filecall::worker::kube
