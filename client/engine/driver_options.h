// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/time.h"
#include "client/core/price_table.h"
#include "client/core/retry_policy.h"
#include "os/clock.h"

namespace filecall::client {

struct DriverOptions {
  std::string owner;                                    ///< This client's name, in the rows.
  RetryPolicy retry;                                    ///< Of submissions that have none.
  Duration attempt_timeout = std::chrono::minutes(10);  ///< The same.
  Duration cancel_patience = seconds(5);  ///< How long a cancelled attempt's answer is awaited.
  TokenPrices prices;                     ///< For answers that have no cost of their own.
  bool cache_all = false;                 ///< Also answers that may differ the next time.
  bool follows_requests = false;          ///< Hints of requests that others drop: take_requests().
  std::uint64_t seed = 1;                 ///< Of the jitter.
  /// When this client began; what other clients end from then on, it has waited for.
  WallTime began_at = WallTime::max();
  std::function<WallTime()> wall_clock = wall_now;
};

}  // namespace filecall::client
