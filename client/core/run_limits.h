// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/core/spend.h"

namespace filecall::client {

/// What a whole batch may use up, earlier runs of it included.
struct RunLimits {
  std::optional<double> cost;          ///< US$
  std::optional<std::int64_t> tokens;  ///< Input and output.
  std::optional<std::int64_t> errors;  ///< Requests that were given up.

  bool any() const { return cost || tokens || errors; }
};

/// What it has used up so far.
struct RunTotals {
  Spend spend;
  std::int64_t errors = 0;
  std::int64_t unused = 0;     ///< Requests that succeeded and used nothing.
  std::int64_t in_flight = 0;  ///< Requests whose use is not known yet.
};

/// Calls that may be in flight while nothing is known of what one uses up.
inline constexpr std::int64_t kBlindCallsMax = 8;

enum class Admission : std::uint8_t {
  kGo,    ///< Another request may begin.
  kHold,  ///< Not before some of those in flight have ended: together they may reach a limit.
  kStop,  ///< A limit is reached.
};
struct AdmissionVerdict {
  Admission admission = Admission::kGo;
  std::string reason;  ///< kStop: which limit, for people.
};

/// Whether another request may begin. What is in flight counts with the mean of the calls so far,
/// so that a limit is passed by about one call and not by a whole window. Pure.
AdmissionVerdict admit(const RunLimits& limits, const RunTotals& totals);

}  // namespace filecall::client
