// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/eval/pair_record.h"
#include "client/report/items/item_reader.h"

namespace filecall::client {

/// Where the items of one run come from; can be read more than once. Not thread-safe.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  /// For people, e.g. "batch.jsonl in /tmp/root".
  virtual std::string name() const = 0;
  /// The name of the evaluation; empty: none.
  virtual std::string evaluation() const = 0;
  /// Where its requests lie, and what judges said of pairs of them; empty: a saved report.
  virtual std::string root() const { return {}; }
  virtual const std::vector<PairRecord>& preferences() const;
  /// The versions of the specification that its grades are by, where its items do not tell.
  virtual std::vector<std::string> spec_digests() const { return {}; }
  virtual Result<void> each(const std::function<void(const ReportItem&)>& visit) = 0;
  /// What could not be read of grades, labels and verdicts on pairs, for people; after each().
  /// Empty: everything could.
  virtual std::string damage() const { return {}; }
};

/// What names a run on the command line: "[PLACE][@KEY=VALUE,...]". PLACE is a root, a saved JSON
/// report (or the folder that holds its summary.json), or else the name of a batch; without it the
/// default root. KEY is run, batch, model, prompt, provider or eval.
struct RunName {
  std::string place;
  ItemFilter filter;
};
/// Pure. Failure: invalid_argument, an unknown key or no value.
Result<RunName> parse_run_name(const std::string& text);

/// `options` opens the ledger; its root is the one of names without a place, and of batches.
/// `prices` outlives the source: of answers that do not say their cost.
/// Failures: the root's; invalid_argument, what is there is neither a root nor a report.
/// `mixes`: all runs together, where none is named. `use`: kNone reads no grades, unless `text`
/// names an evaluation.
enum class GradeUse : std::uint8_t { kNone, kRead };
Result<std::unique_ptr<ItemSource>> open_item_source(const std::string& text, bool mixes,
                                                     const LedgerOptions& options,
                                                     const TokenPrices& prices, GradeUse use);

/// An item of a JSON report, read again. Lenient: what is missing is empty. Pure.
ReportItem parse_item_json(const Json& json);

}  // namespace filecall::client
