// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/report/items/report_item.h"
#include "client/service/ledger.h"
#include "client/service/run_scope.h"
#include "spool/layout.h"

namespace filecall::client {

/// Which requests of a root a report is about; empty members: any.
struct ItemFilter {
  RunChoice choice{};
  std::string model{};   ///< As ReportItem::subject().
  std::string prompt{};  ///< The prompt's name.
  std::string provider{};
  std::string evaluation{};             ///< Its name; empty: nothing is said of grades.
  bool with_digests = false;            ///< ReportItem::response_digest is wanted.
  const TokenPrices* prices = nullptr;  ///< Of answers that do not say their cost. Not owned.

  /// Whether its names leave out anything.
  bool is_selective() const {
    return !(choice.batch.empty() && model.empty() && prompt.empty() && provider.empty());
  }
};

/// Whether an item is selected; its run and its evaluation are not looked at. Pure.
bool fits_filter(const ReportItem& item, const ItemFilter& filter);

/// Reads the requests of `scope` with their answers and evaluations, one at a time: memory does not
/// grow with their number, but for some 45 bytes a name. Requests of judges (their metadata has the
/// member `evaluation_of`) are left out. Returns what cannot be read of eval/, for people; empty:
/// nothing. Failures: the ledger's, the scope's.
Result<std::string> read_items(Ledger& ledger, const spool::Layout& layout, const RunScope& scope,
                               const ItemFilter& filter,
                               const std::function<void(const ReportItem&)>& visit);

/// The names of the evaluations in a root's eval/, sorted. Empty: nothing was evaluated.
Result<std::vector<std::string>> evaluation_names(const spool::Layout& layout);
/// The evaluation to report on: `wanted`, else the only one that has grades of the scope's
/// requests; where no one has, the only one there is. Empty: none is meant, or `wanted` only has
/// verdicts of pairs. Failure: invalid_argument, several have grades, or there is none of the name
/// that was wanted; the ledger's.
Result<std::string> choose_evaluation(const spool::Layout& layout, Ledger& ledger,
                                      const RunScope& scope, const std::string& wanted);

}  // namespace filecall::client
