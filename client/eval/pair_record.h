// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/eval/pair_judge.h"
#include "client/eval/pair_question.h"
#include "client/eval/statistics/score_tally.h"
#include "ipc/json.h"

namespace filecall::client {

/// One of the two answers of a pair.
struct PairSide {
  std::string request_id;
  std::string response_digest;
  std::string label;  ///< The model, with its prompt where it has one.
};

/// What judges said of one pair of answers: a line of eval/preferences.jsonl. Of several lines of
/// one evaluation, rule and pair of responses the last one counts.
struct PairRecord {
  std::string evaluation;
  std::string rule_digest;
  std::string item;
  PairSide a;
  PairSide b;
  PairVerdict verdict;
  WallTime judged_at{};
  std::vector<PairQuestion> questions{};  ///< For counting; not written, `verdict` tells.
};

/// Failure: invalid_argument, names the member. Lenient on unknown members. Pure.
Result<PairRecord> parse_pair_record(std::string_view line);
/// The same with A and B changed.
PairRecord turned_round(PairRecord record);
/// One line and a newline.
std::string render_pair_record(const PairRecord& record);

/// Verdicts of pairs, counted. Pure; not thread-safe.
class PairTally {
 public:
  struct Counts {
    std::int64_t wins_a = 0;
    std::int64_t wins_b = 0;
    std::int64_t ties = 0;
    std::int64_t inconsistent = 0;  ///< Pairs in which a judge changed its mind with the order.
    std::int64_t ungraded = 0;      ///< Without a verdict.
    ScoreTally rate;                ///< B's: 1 for a win, 0.5 for a tie.

    void add(const PairRecord& record);
    std::int64_t pairs() const { return wins_a + wins_b + ties; }
    /// B's share of wins, a tie being half of one; items count once.
    Estimate win_rate() const { return mean_score(rate.clusters()); }
  };
  void add(const PairRecord& record);
  const Counts& all() const { return all_; }
  /// By the labels of A and B.
  const std::map<std::pair<std::string, std::string>, Counts>& groups() const { return groups_; }

 private:
  Counts all_;
  std::map<std::pair<std::string, std::string>, Counts> groups_;
};

}  // namespace filecall::client
