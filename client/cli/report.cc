// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/item_selection.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/items/report_targets.h"
#include "client/report/items/root_report.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kItemsNamed = 20;

Result<ReportTargets> targets_of(const Arguments& arguments) {
  ReportTargets targets;
  targets.format = arguments.text("format");
  if (targets.format.empty()) targets.format = arguments.has("json") ? "json" : "terminal";
  targets.out = arguments.text("out");
  targets.shows_text = !arguments.has("quiet") && !arguments.has("json");
  TRY_ASSIGN(const std::int64_t limit, arguments.integer("limit", kItemsNamed, 0, INT64_MAX));
  targets.text.columns = output_is_terminal() ? terminal_columns(STDOUT_FILENO) : 160;
  targets.text.items_max = limit == 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  targets.print = &print;
  return targets;
}

Result<ReportThresholds> thresholds_of(const Arguments& arguments) {
  ReportThresholds thresholds;
  TRY_ASSIGN(thresholds.score_min, arguments.share("min-score"));
  TRY_ASSIGN(thresholds.error_rate_max, arguments.share("max-error-rate"));
  return thresholds;
}

int verdict(const ReportTally& tally, const ReportThresholds& thresholds) {
  const std::vector<std::string> missed = missed_thresholds(tally, thresholds);
  for (const std::string& sentence : missed) print_error(sentence);
  if (!missed.empty()) return kExitThreshold;
  // Who says how many failures are fine has said that these are.
  const bool is_tolerated = thresholds.error_rate_max.has_value();
  return tally.run().gave_up() > 0 && !is_tolerated ? kExitGaveUp : kExitSuccess;
}

Result<int> report(const Arguments& arguments) {
  TRY_ASSIGN(const ReportThresholds thresholds, thresholds_of(arguments));
  TRY_ASSIGN(const ReportTargets targets, targets_of(arguments));
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  const spool::Layout layout(chosen_root(arguments));
  ItemFilter filter = selected_items(arguments);
  TRY_ASSIGN(filter.evaluation, choose_evaluation(layout, filter.evaluation));
  TRY_ASSIGN(const RootExtent extent, measure_root(*ledger, filter));

  ReportWriter writer;
  TRY_ASSIGN(const auto paths, add_targets(targets, extent.requests, layout.root(), writer));
  ReportTally tally(extent.started_at);
  tally.run().name = filter.batch;
  TRY(fill_report(*ledger, layout, filter, writer, tally));
  tally.finish();
  if (tally.all().total() == 0 && filter.is_selective()) {
    return fail(ErrorCode::kNotFound,
                layout.root() + ": no request fits the selection; 'filecall status' lists them");
  }
  TRY(writer.finish(tally));
  for (const std::string& path : paths) {
    print_note(fmt::format("Wrote {}\n", one_line(path, 2000)), arguments.has("quiet"));
  }
  return verdict(tally, thresholds);
}

}  // namespace

int report_command(const Arguments& arguments) {
  const auto code = report(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
