// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/core/price_table.h"
#include "client/core/spend.h"
#include "client/engine/submission_feed.h"

namespace filecall::client {

/// What is left of a model's requests, estimated. Input: a token for every four bytes of text,
/// images not counted; or, as soon as there are answers from earlier runs, their mean.
struct PlanRow {
  std::string name;  ///< "provider/model", "model", or a command without one.
  std::string model;
  std::string provider;
  bool asks_model = false;
  std::int64_t requests = 0;
  std::int64_t ended = 0;  ///< In earlier runs; not part of what follows.
  Spend earlier;           ///< What those used.
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens_max = 0;  ///< By max_tokens.
  std::int64_t unlimited = 0;          ///< Requests to come without max_tokens.

  std::int64_t left() const { return requests - ended; }
};

/// From and to; `most` is absent when nothing limits it.
struct EstimatedRange {
  double least = 0;
  std::optional<double> most;
};

/// Tokens of what is left of a row.
EstimatedRange estimated_tokens(const PlanRow& row);
/// US$; nullopt: no price is known.
std::optional<EstimatedRange> estimated_cost(const PlanRow& row, const TokenPrices& prices);

/// A run's requests, added up by model. Pure; not thread-safe.
class RunPlan {
 public:
  /// `ended`: what the request has used, if it ended in an earlier run.
  void add(std::string_view request_text, const std::optional<Spend>& ended);

  /// In order of names.
  const std::map<std::string, PlanRow>& rows() const { return rows_; }
  PlanRow total() const;
  /// The text of the first request that is left; empty: none.
  const std::string& sample() const { return sample_; }

 private:
  std::map<std::string, PlanRow> rows_;
  std::string sample_;
};

/// The plan of a feed. `ended`: what a request has used, if it ended in an earlier run. Failure:
/// the feed's, and that of `ended`.
Result<RunPlan> plan_run(
    SubmissionFeed& feed,
    const std::function<Result<std::optional<Spend>>(const std::string& id)>& ended);

}  // namespace filecall::client
