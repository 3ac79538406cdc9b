// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "base/count_text.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/item_selection.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/items/file_suffix.h"
#include "client/report/items/report_targets.h"
#include "client/report/items/root_report.h"
#include "client/report/items/score_text.h"
#include "client/report/progress_display.h"
#include "client/report/retry_advice.h"
#include "client/report/text_layout.h"
#include "client/service/price_files.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kItemsNamed = 20;
constexpr std::string_view kReportFileFormats[] = {"csv", "json", "junit", "html"};

Result<ReportTargets> targets_of(const Arguments& arguments) {
  ReportTargets targets;
  targets.out = arguments.text("out");
  targets.format = arguments.text("format");
  if (targets.format.empty() && arguments.has("json")) targets.format = "json";
  if (targets.format.empty()) {
    std::error_code status;
    const bool is_folder = std::filesystem::is_directory(targets.out, status);
    TRY_ASSIGN(targets.format, format_of_suffix(is_folder ? "" : targets.out, kReportFileFormats));
  }
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
  thresholds.allows_pending = arguments.has("allow-pending");
  return thresholds;
}

int verdict(const ReportTally& tally, const ReportThresholds& thresholds) {
  const std::vector<std::string> missed = missed_thresholds(tally, thresholds);
  for (const std::string& sentence : missed) print_error(sentence);
  if (!missed.empty()) return kExitThreshold;
  // Who says how many failures are fine has said that these are.
  const bool is_tolerated = thresholds.error_rate_max.has_value();
  const std::int64_t missing = tally.all().count(ItemOutcome::kMissing);
  if (missing > 0) {
    print_error(missing_sentence(missing));
  }
  const std::int64_t lacking = tally.lacking_replies + lacking_replies(tally.pairs);
  if (tally.lacking_replies > 0) {
    print_error(lacking_replies_sentence(tally.lacking_replies));
  }
  if (const std::int64_t pairs = lacking - tally.lacking_replies; pairs > 0) {
    print_error(lacking_verdicts_sentence(pairs));
  }
  const std::int64_t gave_up = tally.run().gave_up();
  if (gave_up > 0 && !is_tolerated) {
    print_error(given_up_sentence(
        gave_up, tally.all().count(ItemOutcome::kSchemaInvalid),
        retry_commands(tally.run().by_error()) + " and the same 'filecall run' ask again"));
  }
  const std::int64_t gone = gave_up + missing + lacking;
  return gone > 0 && !is_tolerated ? kExitGaveUp : kExitSuccess;
}

Result<std::optional<std::int64_t>> chosen_k(const Arguments& arguments) {
  if (!arguments.has("pass-k")) return std::optional<std::int64_t>();
  TRY_ASSIGN(const std::int64_t k, arguments.integer("pass-k", 1, 1, INT32_MAX));
  return std::optional(k);
}

/// Says of which groups no item has as many answers as --pass-k asks for.
void name_unknown_k(const ReportTally& tally) {
  if (!tally.repeats_k) return;
  for (const auto& [key, group] : tally.groups()) {
    const ScoreSummary summary = summarize(group.scores(), tally.repeats_k);
    if (summary.repeats.pass_at_k.value || !summary.score.value) continue;
    print_error(fmt::format("--pass-k {}: no item of {} has so many answers that count",
                            *tally.repeats_k, one_line(key.subject, 60)));
  }
}

Result<int> report(const Arguments& arguments) {
  TRY_ASSIGN(const ReportThresholds thresholds, thresholds_of(arguments));
  TRY_ASSIGN(const ReportTargets targets, targets_of(arguments));
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  ItemFilter filter = selected_items(arguments);
  const std::string pairs_of = filter.evaluation;
  TRY_ASSIGN(const TokenPrices prices,
             load_prices(arguments.text("prices"), arguments.text("worker-config")));
  filter.prices = &prices;
  TRY_ASSIGN(const RunScope scope, RunScope::choose(layout, filter.choice));
  TRY_ASSIGN(filter.evaluation, choose_evaluation(layout, *ledger, scope, filter.evaluation));
  TRY_ASSIGN(const RootExtent extent, measure_root(*ledger, scope));

  ReportWriter writer;
  TRY_ASSIGN(const auto paths, add_targets(targets, extent.requests, layout.root(), writer));
  ReportTally tally(extent.started_at);
  TRY_ASSIGN(tally.repeats_k, chosen_k(arguments));
  TRY(fill_report(*ledger, layout, scope, filter, pairs_of, writer, tally));
  tally.finish();
  if (tally.all().total() == 0 && filter.is_selective()) {
    return fail(ErrorCode::kNotFound,
                layout.root() + ": no request fits the selection; 'filecall status' lists them");
  }
  print_scope(scope, arguments.has("quiet"));
  TRY(writer.finish(tally));
  if (!tally.damage.empty()) print_error(tally.damage);
  name_unknown_k(tally);
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
