// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/items/comparison_output.h"
#include "client/report/items/source_comparison.h"
#include "client/report/progress_display.h"
#include "client/service/price_files.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kChangesNamed = 20;

Result<ComparisonOptions> comparison_options(const Arguments& arguments) {
  ComparisonOptions options;
  const std::int64_t fallback = arguments.has("json") ? 0 : kChangesNamed;
  TRY_ASSIGN(const std::int64_t limit, arguments.integer("limit", fallback, 0, INT64_MAX));
  options.changes_max = limit == 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  if (!arguments.has("bootstrap-seed")) return options;
  TRY_ASSIGN(const std::int64_t seed, arguments.integer("bootstrap-seed", 0, 0, INT64_MAX));
  options.bootstrap.emplace();
  options.bootstrap->seed = static_cast<std::uint64_t>(seed);
  return options;
}

Result<int> compare(const Arguments& arguments) {
  TRY_ASSIGN(const ComparisonOptions options, comparison_options(arguments));
  ComparisonThresholds thresholds;
  thresholds.fail_on_regression = arguments.has("fail-on-regression");
  TRY_ASSIGN(thresholds.drop_max, arguments.share("max-drop"));
  TRY_ASSIGN(LedgerOptions ledger, ledger_options(arguments));
  ledger.only_reads = true;
  const bool mixes = arguments.has("mix");
  TRY_ASSIGN(const TokenPrices prices,
             load_prices(arguments.text("prices"), arguments.text("worker-config")));
  TRY_ASSIGN(const auto source_a, open_item_source(arguments.words()[0], mixes, ledger, prices));
  TRY_ASSIGN(const auto source_b, open_item_source(arguments.words()[1], mixes, ledger, prices));
  TRY_ASSIGN(const RunComparison comparison, compare_sources(*source_a, *source_b, options));
  const ComparedNames names{source_a->name(), source_b->name()};
  if (arguments.has("json")) {
    print_json(comparison_json(comparison, names));
  } else {
    const std::size_t columns = output_is_terminal() ? terminal_columns(STDOUT_FILENO) : 160;
    print(comparison_text(comparison, names, columns));
  }
  const auto missed = missed_thresholds(comparison, thresholds);
  for (const std::string& sentence : missed) print_error(sentence);
  return missed.empty() ? kExitSuccess : kExitThreshold;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto code = compare(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
