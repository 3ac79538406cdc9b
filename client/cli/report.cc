// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/item_selection.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/items/report_folder.h"
#include "client/report/items/report_writer.h"
#include "client/report/items/root_report.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"
#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kItemsNamed = 20;

Result<std::unique_ptr<ReportFormat>> terminal_format(const Arguments& arguments) {
  TRY_ASSIGN(const std::int64_t limit, arguments.integer("limit", kItemsNamed, 0, INT64_MAX));
  TextFormatOptions options;
  options.columns = output_is_terminal() ? terminal_columns(STDOUT_FILENO) : 160;
  options.items_max = limit == 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  return text_format(options);
}

/// Where --format and --out send the report; the paths that are written.
Result<std::vector<std::string>> add_targets(const Arguments& arguments, std::int64_t items,
                                             const std::string& root, ReportWriter& writer) {
  std::string wanted = arguments.text("format");
  if (wanted.empty()) wanted = arguments.has("json") ? "json" : "terminal";
  const std::string out = arguments.text("out");
  std::vector<std::string> paths;
  if (out.empty()) {
    if (wanted == "all") {
      return fail(ErrorCode::kInvalidArgument, "--format all: --out must name a folder");
    }
    TRY_ASSIGN(auto text, terminal_format(arguments));
    writer.add_stream(wanted == "terminal" ? std::move(text) : file_format(wanted, items, "", root),
                      &print);
    return paths;
  }
  std::error_code status;
  const bool is_folder =
      wanted == "all" || out.ends_with('/') || std::filesystem::is_directory(out, status);
  if (is_folder) TRY(make_directories(out));
  for (const ReportFile& file : report_files()) {
    if (wanted != "all" && wanted != file.format) continue;
    const std::string path = is_folder ? (std::filesystem::path(out) / file.name).string() : out;
    writer.add_file(file_format(file.format, items, path, root), path);
    paths.push_back(path);
  }
  TRY_ASSIGN(auto text, terminal_format(arguments));
  if (wanted == "terminal") {
    writer.add_file(std::move(text), is_folder ? out + "/report.txt" : out);
  } else if (!arguments.has("quiet") && !arguments.has("json")) {
    writer.add_stream(std::move(text), &print);
  }
  return paths;
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
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  const spool::Layout layout(chosen_root(arguments));
  ItemFilter filter = selected_items(arguments);
  TRY_ASSIGN(filter.evaluation, choose_evaluation(layout, filter.evaluation));
  TRY_ASSIGN(const RootExtent extent, measure_root(*ledger, filter));

  ReportWriter writer;
  TRY_ASSIGN(const auto paths, add_targets(arguments, extent.requests, layout.root(), writer));
  ReportTally tally(extent.started_at);
  tally.run().name = filter.batch;
  TRY(fill_report(*ledger, layout, filter, writer, tally));
  tally.finish();
  if (tally.all().total() == 0 && is_selective(filter)) {
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
