// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::kube {

enum class RolloutState : std::uint8_t { kProgressing, kComplete, kFailed };
std::string_view to_string(RolloutState state);

/// How far the last change of a workload has come, decided as `kubectl rollout status` does it.
struct Rollout {
  RolloutState state = RolloutState::kProgressing;
  std::string message;  ///< In words.
  /// {"desired", "updated", "ready", "available", ...} as the status says them.
  Json counts = Json::object();
};

/// Whether a kind of the group "apps" has rollouts: Deployment, StatefulSet, DaemonSet.
bool has_rollouts(std::string_view group, std::string_view kind);

/// `kind`: one that has rollouts. `object` as the server answers it. What no controller will bring
/// to an end by itself (strategy OnDelete; a progress deadline that is exceeded) has failed. Pure.
Rollout rollout_of(std::string_view kind, const Json& object);

/// Conditions of the status: [{"type", "status", "reason", "message"}]. Pure.
Json conditions_of(const Json& object);

}  // namespace filecall::worker::kube
