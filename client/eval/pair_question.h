// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "client/eval/judging.h"
#include "ipc/json.h"
#include "ipc/token_prices.h"

namespace filecall::client {

/// What one question about a pair has used.
struct PairQuestion {
  std::string judge;
  std::uint64_t id_hash = 0;  ///< Of its request: pairs may share a question.
  bool was_asked_again = false;
  bool has_verdict = false;
  std::optional<double> cost{};  ///< US$; absent: nobody knows.
};
/// `judges`: as PairVerdict has them. `prices`: of those whose replies noted no cost. Pure.
std::vector<PairQuestion> pair_questions(const Json& judges, const TokenPrices& prices);

/// Counts the questions by judges; one that pairs share counts once. Not thread-safe.
class PairJudging {
 public:
  void add(std::span<const PairQuestion> questions);
  const std::map<std::string, JudgeCounts>& judges() const { return judges_; }

 private:
  std::map<std::string, JudgeCounts> judges_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace filecall::client
