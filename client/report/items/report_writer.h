// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/report/items/body_file.h"
#include "client/report/items/report_format.h"

namespace filecall::client {

/// Writes one report in any number of formats at once. Not thread-safe.
class ReportWriter {
 public:
  /// To a file, which gets its name when it is complete, replacing an older one.
  void add_file(std::unique_ptr<ReportFormat> format, std::string path);
  /// To `print`, e.g. standard output.
  void add_stream(std::unique_ptr<ReportFormat> format, void (*print)(std::string_view));

  void item(const ReportItem& item);
  /// After the last item. Failure: one of the files is not there.
  Result<void> finish(const ReportTally& tally);

 private:
  struct Target {
    std::unique_ptr<ReportFormat> format;
    std::string path;  ///< Empty: a stream.
    void (*print)(std::string_view) = nullptr;
    BodyFile body;
  };
  std::vector<Target> targets_;
};

}  // namespace filecall::client
