// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/report/items/report_format.h"
#include "client/report/items/root_report.h"
#include "client/report/run_summary.h"
#include "client/service/ledger.h"

namespace filecall::client {

/// A format that is a file, by its name on the command line, and the file's name in a folder.
struct ReportFile {
  std::string_view format;
  std::string_view name;
};
/// csv, json, junit, html.
std::span<const ReportFile> report_files();

/// One of report_files()'s formats. `path`: where it will stand, for links to the root's files
/// (relative ones, so that both can be moved or served together); empty: nowhere.
std::unique_ptr<ReportFormat> file_format(std::string_view format, std::int64_t items,
                                          const std::string& path, const std::string& root);

/// `run --report DIR`: results.csv, summary.json and report.html about the requests of one run, as
/// `filecall report` writes them. Older files of these names are replaced. Not thread-safe.
class ReportFolder {
 public:
  /// Creates the folder if needed. Failure: it cannot be written to.
  static Result<ReportFolder> create(std::string path);

  /// Reads the root and writes the files. `run`: which one. Returns what they lack, for people;
  /// empty: nothing.
  Result<std::string> finish(const LedgerOptions& options, const RunSummary& run);
  std::string page_path() const { return path_ + "/report.html"; }

 private:
  explicit ReportFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace filecall::client
