// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "base/result.h"
#include "client/core/price_table.h"
#include "client/core/run_limits.h"
#include "client/eval/grader.h"
#include "client/service/ledger.h"
#include "spool/layout.h"
#include "spool/name_list.h"

namespace filecall::client {

/// Sums what questions have used so far, whichever evaluation asked them. A question that several
/// answers share counts once; one that was never asked counts nothing. One thread.
class QuestionUse {
 public:
  /// All must outlive it.
  QuestionUse(Ledger& ledger, const spool::Layout& layout, const TokenPrices& prices)
      : ledger_(ledger), layout_(layout), prices_(prices) {}

  /// Failure: the database's.
  Result<void> add(std::span<const Question> questions);
  const RunTotals& totals() const { return totals_; }

 private:
  Ledger& ledger_;
  const spool::Layout& layout_;
  const TokenPrices& prices_;
  spool::NameHashSet counted_;
  RunTotals totals_;
};

}  // namespace filecall::client
