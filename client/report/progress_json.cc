// SPDX-License-Identifier: MIT
#include "client/report/progress_json.h"

#include "client/report/json_summary.h"

namespace filecall::client {

Json progress_json(const ProgressView& view) {
  Json json = {{"ended", view.ended()},
               {"total", nullptr},
               {"elapsed_ms", to_ms(view.elapsed)},
               {"requests_per_second", view.rate},
               {"eta_ms", nullptr},
               {"retries", view.retries},
               {"worker", view.worker},
               {"states", Json::object()},
               {"destinations", Json::array()}};
  if (view.total >= 0) json["total"] = view.total;
  if (const auto left = time_left(view)) json["eta_ms"] = to_ms(*left);
  for (int i = 0; i < kRequestStateCount; ++i) {
    const auto state = static_cast<RequestState>(i);
    json["states"][std::string(to_string(state))] = view.count(state);
  }
  if (view.conversations > 0) {
    json["conversations"] = {{"total", view.conversations}, {"ended", view.conversations_ended}};
  }
  if (view.spend.calls > 0) {
    json["tokens"] = view.spend.tokens();
    json["tokens_per_second"] = view.tokens_rate;
    json["cost"] = cost_json(view.spend);
    json["calls_without_price"] = view.spend.unpriced;
    const auto projected = projected_cost(view);
    json["cost_projected"] = projected ? Json(*projected) : Json();
  }
  for (const ProgressLane& lane : view.lanes) {
    json["destinations"].push_back({{"name", lane.name},
                                    {"in_flight", lane.in_flight},
                                    {"window", lane.window},
                                    {"pause_ms", lane.pause_ms},
                                    {"problem", lane.problem}});
  }
  return json;
}

}  // namespace filecall::client
