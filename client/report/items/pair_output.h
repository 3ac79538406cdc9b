// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/eval/pair_record.h"
#include "client/report/items/item_source.h"
#include "ipc/json.h"

namespace filecall::client {

/// A response of one side, as far as pairing needs it.
struct PairCandidate {
  std::string request_id;
  std::string subject;  ///< ReportItem::subject().
  std::string prompt;
  std::string item;
  std::int64_t repeat = 1;
  Json vars{};
  std::string response_digest{};  ///< As ReportItem has it.
  std::string problem{};          ///< Why there is nothing to compare; empty: there is.

  std::string label() const { return prompt.empty() ? subject : subject + " / " + prompt; }
};
/// Without its row. nullopt: it is a conversation, and these are not compared.
std::optional<PairCandidate> pair_candidate(const ReportItem& item);
/// The responses of a source that can be compared: those that ended well and whole.
Result<std::vector<PairCandidate>> pair_candidates(ItemSource& source);
/// Which of A is held against which of B: the same item and repeat, of the same model and prompt;
/// where each side has one model (or one prompt), whatever that is called. Pure.
struct PairedCandidates {
  std::vector<std::pair<PairCandidate, PairCandidate>> pairs;
  std::vector<PairCandidate> only_a;  ///< Without a counterpart; as the next.
  std::vector<PairCandidate> only_b;
  /// Responses that stand on both sides: none is compared with itself.
  std::int64_t shared = 0;
};
PairedCandidates pair_up(std::vector<PairCandidate> a, std::vector<PairCandidate> b);

/// {wins_a, wins_b, ties, inconsistent, ungraded, pairs, win_rate}: of B against A.
Json pair_counts_json(const PairTally::Counts& counts);
/// The same for each two of models, and for all.
Json pair_tally_json(const PairTally& tally);
/// A table for a terminal.
std::string pair_tally_text(const PairTally& tally);

/// What judges of pairs were asked and cost: objects and rows as judge_json() and judge_cells()
/// make them, and a table for a terminal.
Json pair_judging_json(const PairJudging& judging);
std::vector<std::vector<std::string>> pair_judging_rows(const PairJudging& judging);
std::string pair_judging_text(const PairJudging& judging);

/// Heads and rows of such a table: of B against A, and what was counted.
std::vector<std::string> pair_heads();
std::vector<std::string> pair_row(const std::string& name, const PairTally::Counts& counts);
/// "large against small", or the one name of both.
std::string pair_name(const std::string& a, const std::string& b);
/// What a share of wins is, and what becomes of a verdict that follows the order.
std::string_view pair_note();

}  // namespace filecall::client
