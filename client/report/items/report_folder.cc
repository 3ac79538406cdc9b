// SPDX-License-Identifier: MIT
#include "client/report/items/report_folder.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <utility>

#include "client/report/items/report_writer.h"
#include "client/report/output_file.h"
#include "os/io.h"
#include "os/process.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::array<ReportFile, 4> kReportFiles = {{{"csv", "results.csv"},
                                                     {"json", "summary.json"},
                                                     {"junit", "junit.xml"},
                                                     {"html", "report.html"}}};
/// JUnit is for those who ask for it: a run is no test.
constexpr std::array<ReportFile, 3> kFilesOfRun = {kReportFiles[0], kReportFiles[1],
                                                   kReportFiles[3]};

/// The absolute path where there is no known way from one to the other.
std::string link_to_root(const std::string& path, const std::string& root) {
  if (path.empty()) return root;
  std::error_code status;
  const auto folder = std::filesystem::absolute(path, status).parent_path();
  const auto relative = std::filesystem::relative(root, folder, status);
  return status || relative.empty() ? root : relative.string();
}

}  // namespace

std::span<const ReportFile> report_files() { return kReportFiles; }

std::unique_ptr<ReportFormat> file_format(std::string_view format, std::int64_t items,
                                          const std::string& path, const std::string& root) {
  if (format == "csv") return csv_format();
  if (format == "json") return json_format();
  if (format == "junit") return junit_format(host_name());
  return html_format(items, link_to_root(path, root));
}

Result<ReportFolder> ReportFolder::create(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  TRY(make_directories(path));
  // Proves that the files can be made; it goes with its owner.
  TRY_ASSIGN(const OutputFile probe, OutputFile::create(path + "/report.html"));
  return ReportFolder(std::move(path));
}

Result<std::string> ReportFolder::finish(const LedgerOptions& options, const RunSummary& run) {
  TRY_ASSIGN(const auto ledger, Ledger::open(options));
  const spool::Layout layout = spool::layout_of(options.root);
  TRY_ASSIGN(const RunScope scope, RunScope::choose(layout, {.run = run.run_id}));
  ItemFilter filter;
  std::string lack;
  auto evaluation = choose_evaluation(layout, *ledger, scope, "");
  if (evaluation) {
    filter.evaluation = *std::move(evaluation);
  } else if (evaluation.error().code == ErrorCode::kInvalidArgument) {
    // A run is not the place to choose one.
    lack = fmt::format(
        "{}: has no scores, because several evaluations have grades of this run; 'filecall report "
        "--root {} --run {} --eval NAME --format all --out {}' writes those of one",
        page_path(), layout.root(), run.run_id, path_);
  } else {
    return Unexpected(evaluation.error());
  }
  TRY_ASSIGN(const RootExtent extent, measure_root(*ledger, scope));
  ReportWriter writer;
  for (const ReportFile& file : kFilesOfRun) {
    const std::string path = path_ + "/" + std::string(file.name);
    writer.add_file(file_format(file.format, extent.requests, path, layout.root()), path);
  }
  ReportTally tally(extent.started_at);
  tally.run().name = run.name;
  TRY(fill_report(*ledger, layout, scope, filter, "", writer, tally));
  tally.finish(run.was_interrupted());
  TRY(writer.finish(tally));
  return lack;
}

}  // namespace filecall::client
