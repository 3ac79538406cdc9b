// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall::worker::kube {

/// What happens to an object when another one goes. Only what breaks takes others with it.
enum class EffectType : std::uint8_t {
  kNone,      ///< Nothing: they are merely related.
  kBreaks,    ///< It no longer does what it is for, now or at its next start.
  kLoses,     ///< It works on without a rule, a listener, an endpoint, a safety net.
  kExposed,   ///< What may reach it, or what it accepts, changes.
  kOrphaned,  ///< It is left over: what it was for is gone.
};

/// "" for kNone.
std::string_view to_string(EffectType type);
/// nullopt: no such type. "" is kNone.
std::optional<EffectType> parse_effect_type(std::string_view name);

}  // namespace filecall::worker::kube
