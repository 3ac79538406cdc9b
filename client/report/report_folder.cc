// SPDX-License-Identifier: MIT
#include "client/report/report_folder.h"

#include <filesystem>
#include <utility>

#include "client/report/csv_row.h"
#include "client/report/html_page.h"
#include "client/report/json_summary.h"
#include "os/io.h"

namespace filecall::client {
namespace {

/// The way from the report's folder to the root; relative, so that both can be moved or served
/// together. The absolute path where that cannot be told.
std::string link_to_root(const std::string& folder, const std::string& root) {
  std::error_code status;
  const auto relative = std::filesystem::relative(root, folder, status);
  return status || relative.empty() ? root : relative.string();
}

}  // namespace

Result<ReportFolder> ReportFolder::create(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  TRY(make_directories(path));
  TRY_ASSIGN(OutputFile csv, OutputFile::create(path + "/results.csv"));
  csv.write(csv_header());
  return ReportFolder(std::move(path), std::move(csv));
}

void ReportFolder::add(const RequestOutcome& outcome) { csv_.write(csv_row(outcome)); }

Result<void> ReportFolder::finish(const RunSummary& summary) {
  TRY(csv_.finish());
  TRY(write_output_file(path_ + "/summary.json", dump_json(json_summary(summary), 2) + "\n"));
  return write_output_file(page_path(), html_page(summary, link_to_root(path_, summary.root)));
}

}  // namespace filecall::client
