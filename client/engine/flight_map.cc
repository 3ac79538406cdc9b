// SPDX-License-Identifier: MIT
#include "client/engine/flight_map.h"

#include <algorithm>

#include "client/core/cancel_request.h"

namespace filecall::client {
namespace {

bool is_running(const Flight& flight, RunId run) {
  return flight.run_id == run && !flight.is_followed && !flight.is_held &&
         flight.progress().state == RequestState::kPolling;
}

}  // namespace

std::array<std::int64_t, kRequestStateCount> states_of(const FlightMap& flights, RunId run) {
  std::array<std::int64_t, kRequestStateCount> states{};
  for (const auto& [id, flight] : flights) {
    const RequestState state = flight->progress().state;
    if (flight->run_id == run && !is_final(state)) ++states.at(static_cast<std::size_t>(state));
  }
  return states;
}

// What waits for its next attempt, or was never dropped, is left as it is: its row says where it
// stands.
bool is_at_rest(const FlightMap& flights, RunId run) {
  return std::all_of(flights.begin(), flights.end(), [run](const auto& entry) {
    const Flight& flight = *entry.second;
    if (flight.run_id != run) return true;
    const bool is_untouched = flight.is_held || flight.is_followed;
    return !flight.is_at_desk && !flight.is_listed &&
           (is_untouched || flight.progress().state == RequestState::kWaiting);
  });
}

std::int64_t running_attempts(const FlightMap& flights, RunId run) {
  return std::count_if(flights.begin(), flights.end(),
                       [run](const auto& entry) { return is_running(*entry.second, run); });
}

std::int64_t unheard_cancels(const FlightMap& flights, RunId run, CancelWish wish,
                             RequestChannel& channel) {
  return std::count_if(flights.begin(), flights.end(), [&](const auto& entry) {
    const Flight& flight = *entry.second;
    if (!is_running(flight, run)) return false;
    const auto answer =
        channel.read_answer(cancel_id(flight.id(), flight.progress().attempt, wish));
    return !answer || !*answer;
  });
}

}  // namespace filecall::client
