// SPDX-License-Identifier: MIT
#include "client/service/earlier_use.h"

#include "client/service/last_answer.h"

namespace filecall::client {

Result<void> add_earlier_use(Ledger& ledger, const spool::Layout& layout, const TokenPrices& prices,
                             const std::string& id, RunTotals& totals) {
  TRY_ASSIGN(const auto entry, ledger.find(id));
  if (!entry) return {};
  // The run itself counts what no client has counted so far.
  const bool is_open = entry->is_undriven || (!is_final(entry->state) && !entry->is_inferred);
  const bool is_uncounted = entry->is_inferred && !is_open;
  const bool is_error = entry->state == RequestState::kGaveUp && !is_never_asked(*entry);
  totals.errors += is_error && !is_open ? 1 : 0;
  if (entry->spend.unpriced == 0 && !is_uncounted) {
    totals.spend += entry->spend;
    return {};
  }
  // What was retried is kept as it failed.
  const auto last =
      last_response(layout, entry->request_id, is_open ? RequestState::kGaveUp : entry->state);
  totals.spend += last ? priced_again(entry->spend, *last, prices) : entry->spend;
  if (last && is_uncounted) totals.spend += spend_of(*last, prices);
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
