// SPDX-License-Identifier: MIT
#include "client/eval/runner/call_figures.h"

namespace filecall::client {
namespace {

std::optional<double> cost_of_call(const Json& data, const Spend& spend,
                                   const TokenPrices& prices) {
  if (data.contains("cost")) return cost_of_data(data, prices);
  if (spend.calls == 1 && spend.unpriced == 0) return spend.cost;
  return cost_of_data(data, prices);
}

}  // namespace

CallFigures call_figures(const Response& response, int turn, const Spend& spend,
                         const TokenPrices& prices) {
  CallFigures figures{.turn = turn};
  if (response.timing) figures.run_ms = response.timing->run_ms;
  if (!response.is_success() || !response.data.is_object()) return figures;
  figures.is_cached = response.data.value("cached", Json()) == true;
  if (!figures.is_cached) figures.cost = cost_of_call(response.data, spend, prices);
  return figures;
}

void use_run_time(const Request& request, const Response& response, CallFigures& figures) {
  if (!is_run_result(request) || !response.is_success() || !response.data.is_object()) return;
  const Json time = response.data.value("duration_ms", Json());
  figures.run_ms =
      time.is_number_integer() ? std::optional(time.get<std::int64_t>()) : std::nullopt;
}

}  // namespace filecall::client
