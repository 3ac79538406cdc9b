// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/core/request_state.h"
#include "client/core/spend.h"

namespace filecall::client {

/// How one destination of the worker's is doing (a provider, a class of tools).
struct ProgressLane {
  std::string name;
  std::int64_t in_flight = 0;
  std::int64_t window = 0;    ///< May be in flight now.
  std::int64_t pause_ms = 0;  ///< Nothing starts for so long; 0: it may.
  std::string problem;        ///< Why its commands fail; empty when nothing is wrong.
};

/// What a progress display shows at one moment.
struct ProgressView {
  std::array<std::int64_t, kRequestStateCount> by_state{};  ///< Indexed by RequestState.
  std::int64_t earlier = 0;  ///< Of the ended ones: ended in an earlier run; not part of the rate.
  std::int64_t retries = 0;
  std::string worker;                    ///< "ready", "starting", ...; empty: nothing to say.
  std::int64_t total = -1;               ///< -1: unknown, so neither bar nor ETA.
  double rate = 0;                       ///< Ended per second, lately.
  std::int64_t conversations = 0;        ///< Of the run; 0: it has none.
  std::int64_t conversations_ended = 0;  ///< Those that were given up, too.
  Duration elapsed = Duration::zero();
  Spend spend;                      ///< Of the whole batch, as far as it is known.
  std::int64_t tokens_now = 0;      ///< Of this run.
  double tokens_rate = 0;           ///< Per second, lately.
  std::vector<ProgressLane> lanes;  ///< Those that have something to say.

  std::int64_t count(RequestState state) const { return by_state[static_cast<std::size_t>(state)]; }
  std::int64_t ended() const {
    return count(RequestState::kSuccess) + count(RequestState::kGaveUp);
  }
};

/// Time left at this rate; nullopt while that is unknown.
std::optional<Duration> time_left(const ProgressView& view);

/// What the batch will have cost, by the mean of its calls so far; nullopt while that is
/// unknown.
std::optional<double> projected_cost(const ProgressView& view);

/// One line of at most `columns` characters, without a newline: what matters least is left out
/// first when it is too wide. `colour`: with escape sequences (which take no columns). Pure.
std::string progress_bar(const ProgressView& view, std::size_t columns, bool colour);
/// The same for logs: everything, and no bar.
std::string progress_text(const ProgressView& view);

}  // namespace filecall::client
