// SPDX-License-Identifier: MIT
#include "client/service/earlier_use.h"

#include "client/service/last_answer.h"

namespace filecall::client {

Result<void> add_earlier_use(Ledger& ledger, const spool::Layout& layout, const TokenPrices& prices,
                             const std::string& id, RunTotals& totals) {
  TRY_ASSIGN(const auto entry, ledger.find(id));
  if (!entry) return {};
  // The run itself counts what no client has counted so far.
  if (entry->is_undriven || (!is_final(entry->state) && !entry->is_inferred)) {
    Spend spend = entry->spend;
    if (spend.unpriced > 0) {  // What was retried is kept as it failed.
      const auto failed = last_response(layout, entry->request_id, RequestState::kGaveUp);
      if (failed) spend = priced_again(spend, *failed, prices);
    }
    totals.spend += spend;
    return {};
  }
  const bool is_error = entry->state == RequestState::kGaveUp && !is_never_asked(*entry);
  totals.errors += is_error ? 1 : 0;
  if (!entry->is_inferred && entry->spend.unpriced == 0) {
    totals.spend += entry->spend;
    return {};
  }
  const auto answer = last_response(layout, entry->request_id, entry->state);
  if (answer && !entry->is_inferred) {
    totals.spend += priced_again(entry->spend, *answer, prices);
    return {};
  }
  totals.spend += entry->spend;
  if (answer) totals.spend += spend_of(*answer, prices);
  return {};
}

Result<RunTotals> earlier_use(Ledger& ledger, const spool::Layout& layout,
                              const TokenPrices& prices, SubmissionFeed& feed) {
  RunTotals totals;
  for (;;) {
    TRY_ASSIGN(const Offer offer, feed.next());
    if (offer.kind != Offer::Kind::kSubmission) return totals;
    TRY(add_earlier_use(ledger, layout, prices, offer.submission.request_id, totals));
  }
}

}  // namespace filecall::client
