// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/report/items/report_item.h"

namespace filecall::client {

inline constexpr WallTime kItemStart{seconds(1'800'000'000)};

/// A success of model "m", evaluated when a score is given.
inline ReportItem graded_item(std::string id, std::optional<double> score) {
  ReportItem item;
  item.request_id = std::move(id);
  item.command = "llm.chat";
  item.model = "m";
  item.state = RequestState::kSuccess;
  item.attempts = 1;
  item.submitted_at = kItemStart;
  item.finished_at = kItemStart + milliseconds(80);
  item.latency_ms = 80;
  item.run_ms = 60;
  item.item = item.request_id;
  item.prompt = "why?";
  item.answer = "because";
  item.outcome = ItemOutcome::kAnswered;
  if (!score) return item;
  item.outcome = ItemOutcome::kGraded;
  Evaluation& evaluation = item.evaluation.emplace();
  evaluation.item = item.item;
  evaluation.outcome = EvaluationOutcome::kGraded;
  evaluation.score = score;
  evaluation.passed = *score >= 0.5;
  evaluation.grades = {{.name = "exact",
                        .kind = "exact",
                        .score = score,
                        .passed = *score >= 0.5,
                        .reason = "r",
                        .details = {}}};
  return item;
}

inline ReportItem given_up_item(std::string id, std::string error_class = "rate_limited") {
  ReportItem item = graded_item(std::move(id), std::nullopt);
  item.state = RequestState::kGaveUp;
  item.outcome = ItemOutcome::kError;
  item.attempts = 3;
  item.error_code = ErrorCode::kResourceExhausted;
  item.error_class = std::move(error_class);
  item.error_message = "too many";
  item.answer.clear();
  return item;
}

}  // namespace filecall::client
