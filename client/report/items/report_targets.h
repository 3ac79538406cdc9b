// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/report/items/report_format.h"
#include "client/report/items/report_writer.h"

namespace filecall::client {

/// Where a report goes.
struct ReportTargets {
  std::string format;  ///< "terminal", a name of report_files(), or "all" of those.
  std::string out;     ///< A file, or a folder (there, or with '/' at its end); empty: `print`.
  TextFormatOptions text;
  void (*print)(std::string_view) = nullptr;
};

/// Adds them to a writer; makes the folder. The paths that will be written. `items`: how many there
/// will be; `root`: for links. Failure: invalid_argument, "all" without a folder; the folder's.
Result<std::vector<std::string>> add_targets(const ReportTargets& targets, std::int64_t items,
                                             const std::string& root, ReportWriter& writer);

}  // namespace filecall::client
