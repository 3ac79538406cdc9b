// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "client/core/request_state.h"
#include "client/core/spend.h"
#include "client/core/submission.h"

namespace filecall::client {

/// What a driver counts for one run.
struct RunCounts {
  std::string batch;  ///< Name that the requests' rows carry; empty: none.
  std::array<std::int64_t, kRequestStateCount> ended{};  ///< Indexed by RequestState.
  std::int64_t submitted = 0;
  std::int64_t retries = 0;         ///< Attempts that began, without the first of each request.
  std::int64_t left = 0;            ///< Submissions of a stopping run that had not ended.
  std::int64_t in_flight = 0;       ///< All that are not over, those in WAITING too.
  std::int64_t waiting = 0;         ///< Of these, in WAITING: they cost nobody anything now.
  Spend spend_now;                  ///< Of answers that were counted in this run.
  Spend spend_earlier;              ///< What the rows said that were taken up.
  std::int64_t maybe_billed = 0;    ///< Calls that were ended after they were sent.
  std::vector<Submission> unended;  ///< Were only looked up, and had not ended.
  bool is_stopping = false;         ///< Nothing of it begins any more.
  bool holds_retries = false;       ///< No attempt begins for now.
  bool is_ended = false;            ///< Nobody asks for it any more.

  /// Whether one more fits into `window`. Requests that wait for their next attempt are outside of
  /// it, up to a bound of their own.
  bool has_room(std::int64_t window) const {
    constexpr std::int64_t kWaitingMin = 4096;
    return in_flight - waiting < window && in_flight < window + std::max(window, kWaitingMin);
  }
};

}  // namespace filecall::client
