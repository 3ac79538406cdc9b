// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "client/channel/request_channel.h"
#include "client/core/request_state.h"
#include "client/engine/flight.h"

namespace filecall::client {

/// What a client has in its hands, by id.
using FlightMap =
    std::unordered_map<std::string, std::unique_ptr<Flight>, StringHash, std::equal_to<>>;

/// How many of a run that have not ended are in each state.
std::array<std::int64_t, kRequestStateCount> states_of(const FlightMap& flights, RunId run);
/// Whether everything of a stopped run stands where it can be left.
bool is_at_rest(const FlightMap& flights, RunId run);
/// Attempts of a run that the worker has or may have.
std::int64_t running_attempts(const FlightMap& flights, RunId run);
/// Of these, those whose cancel request has no response yet.
std::int64_t unheard_cancels(const FlightMap& flights, RunId run, CancelWish wish,
                             RequestChannel& channel);

}  // namespace filecall::client
