// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client/core/price_table.h"
#include "client/eval/grader.h"
#include "client/eval/judge_verdict.h"
#include "ipc/json.h"

namespace filecall::client {

/// One model that judges: a name and the params of llm.chat without messages. Two judges of equal
/// params and different names are asked one time each.
struct Judge {
  std::string name;
  Json params;
};

/// The question to one judge; `structured`: by response_format. `again`: the second one.
Question question_for(const Judge& judge, Json messages,
                      const std::optional<JudgeScale>& structured, bool again);

/// What a grade notes of one judge: {judge, asked_model, provider, model, request_id,
/// second_request_id, verdict, score, reason, usage, cost}. `second` null: it was asked once.
Json judge_record(const Judge& judge, const JudgeVerdict& verdict, std::string_view request_id,
                  const Reply* first, std::string_view second_id, const Reply* second);
/// Visits those records in a grade's details, also those of several choices.
void each_judge_record(Json& details, const std::function<void(Json& record)>& visit);
void each_judge_record(const Json& details, const std::function<void(const Json& record)>& visit);
/// Notes what judges cost whose replies do not say it.
void price_judges(Json& details, const TokenPrices& prices);
/// What a record's replies cost: as it notes, else by the prices; nullopt: nobody knows.
std::optional<double> cost_of_record(const Json& record, const TokenPrices& prices);

}  // namespace filecall::client
