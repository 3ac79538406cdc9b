// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/core/price_table.h"
#include "client/engine/interruption.h"
#include "client/engine/orchestrator.h"
#include "client/eval/pair_judge.h"
#include "client/eval/pair_record.h"
#include "client/eval/runner/open_questions.h"
#include "client/service/ledger.h"
#include "spool/root.h"

namespace filecall::client {

/// Two responses to one item that are to be compared.
struct AskedPair {
  std::string item;
  std::string request_a;
  std::string request_b;
  std::string label_a;
  std::string label_b;
  Json vars;  ///< The row of A, as its run has it.
};

/// The questions about pairs as a feed of the engine: each judge in both orders, once more where a
/// verdict cannot be read. Notes verdicts in eval/preferences.jsonl; those that are there of the
/// same rule and responses are taken as they are. Equal questions are asked once. One thread.
class PairFeed final : public SubmissionFeed, public RunObserver {
 public:
  /// A response that can be compared.
  struct Loaded {
    Subject subject;
    std::string digest;
  };
  struct Options {
    std::string evaluation;
    bool writes = true;  ///< False: nothing is written; for a plan.
  };
  /// Called for each pair that has been judged. `is_reused`: earlier.
  using Visit = std::function<void(const PairRecord& record, bool is_reused)>;

  /// All but `options` must outlive it. Failure: the file's.
  static Result<std::unique_ptr<PairFeed>> open(const spool::Root& root, const PairRule& rule,
                                                const std::vector<AskedPair>& pairs,
                                                const TokenPrices& prices, Options options,
                                                Visit visit);

  Result<Offer> next() override;
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress&) override {}
  void on_notice(const std::string& text) override;

  /// What all questions about the pairs have used, those of verdicts that are there as well; ends
  /// early when it is interrupted. Before the feed is run. Failure: a file's, the database's.
  Result<RunTotals> earlier_use(Ledger& ledger) const;
  /// Writes what is left. Failure: the file's, also an earlier one.
  Result<void> finish();
  /// Pairs of which a response is gone.
  std::int64_t gone() const { return gone_; }
  std::function<void(const std::string& text)> notice;  ///< For people.
  const Interruption* interruption = nullptr;

 private:
  struct Sides;
  PairFeed(const spool::Root& root, const PairRule& rule, const std::vector<AskedPair>& pairs,
           const TokenPrices& prices, Options options, Visit visit);
  Result<std::optional<Sides>> load(const AskedPair& pair) const;
  Result<void> look_at(std::size_t pair);
  Result<void> conclude(const Sides& sides, const AskedPair& pair,
                        const std::vector<Reply>& replies);
  Result<void> answered(const OpenQuestions::WaiterPtr& waiter);
  Result<void> keep(const std::string& line);

  const spool::Root& root_;
  const PairRule& rule_;
  PairJudge judge_;
  const std::vector<AskedPair>& pairs_;
  const TokenPrices& prices_;
  Options options_;
  Visit visit_;
  std::map<std::string, PairRecord> known_;  ///< By the requests of A and B.
  std::size_t next_ = 0;
  std::int64_t waiting_ = 0;
  std::int64_t gone_ = 0;
  OpenQuestions questions_;
  std::string lines_;  ///< Not written yet.
  std::optional<Error> error_;
};

}  // namespace filecall::client
