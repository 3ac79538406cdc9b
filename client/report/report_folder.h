// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/report/output_file.h"
#include "client/report/run_summary.h"

namespace filecall::client {

/// `--report DIR`: results.csv (a line an outcome), summary.json and report.html. Older files of
/// these names are replaced. Not thread-safe.
class ReportFolder {
 public:
  /// Creates the folder if needed.
  static Result<ReportFolder> create(std::string path);

  void add(const RequestOutcome& outcome);
  Result<void> finish(const RunSummary& summary);
  std::string page_path() const { return path_ + "/report.html"; }

 private:
  ReportFolder(std::string path, OutputFile csv) : path_(std::move(path)), csv_(std::move(csv)) {}

  std::string path_;
  OutputFile csv_;
};

}  // namespace filecall::client
