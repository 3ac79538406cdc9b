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
};

enum class Admission : std::uint8_t {
  kGo,    ///< Another request may begin.
  kHold,  ///< Not before some of those in flight have ended: together they may pass a limit.
  kStop,  ///< A limit is reached.
};
struct AdmissionVerdict {
  Admission admission = Admission::kGo;
  std::string reason{};  ///< kStop: which limit, for people.
};

/// Whether a limit is reached already, whatever comes next. Never kHold. Pure.
AdmissionVerdict admit(const RunLimits& limits, const RunTotals& totals);

}  // namespace filecall::client
