// SPDX-License-Identifier: MIT
#include "client/agent/run_estimates.h"

#include "client/store/run_history.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

constexpr Duration kEstimateHolds = std::chrono::minutes(1);

}  // namespace

std::optional<std::int64_t> RunEstimates::median_ms(std::string_view command) {
  if (command == "tool.run") return std::nullopt;
  const MonotonicTime now = monotonic_now();
  const auto found = known_.find(command);
  if (found != known_.end() && now - found->second.at < kEstimateHolds) return found->second.ms;
  // A history that cannot be read tells nothing; no run ends for that.
  const auto median = median_run_ms(database_path_, command);
  Known& known = known_[std::string(command)];
  known = {median ? *median : std::nullopt, now};
  return known.ms;
}

}  // namespace filecall::client
