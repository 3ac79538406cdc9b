// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/effects.h"
#include "ipc/request.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {

/// Commands of even id have effects.
inline Effects effects_of(Id id) { return id % 2 == 0 ? Effects::kExternal : Effects::kNone; }

inline std::string command_of(Effects effects, const std::string& destination) {
  return (effects == Effects::kExternal ? "effect." : "pure.") + destination;
}

/// Request `id` of every schedule: both kinds of effects, two destinations, several priorities.
inline Request request_of(Id id) {
  Request request;
  request.request_id = name_of(id);
  request.command = command_of(effects_of(id), id % 3 == 0 ? "a" : "b");
  request.priority = id % 5;
  return request;
}

}  // namespace filecall::simulation
