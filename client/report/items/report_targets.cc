// SPDX-License-Identifier: MIT
#include "client/report/items/report_targets.h"

#include <filesystem>

#include "client/report/items/report_folder.h"
#include "os/io.h"

namespace filecall::client {

Result<std::vector<std::string>> add_targets(const ReportTargets& targets, std::int64_t items,
                                             const std::string& root, ReportWriter& writer) {
  const std::string& wanted = targets.format;
  const std::string& out = targets.out;
  const bool is_text = wanted == "terminal";
  std::vector<std::string> paths;
  if (out.empty()) {
    if (wanted == "all") {
      return fail(ErrorCode::kInvalidArgument, "--format all: --out must name a folder");
    }
    writer.add_stream(is_text ? text_format(targets.text) : file_format(wanted, items, "", root),
                      targets.print);
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
  if (is_text) {
    writer.add_file(text_format(targets.text), is_folder ? out + "/report.txt" : out);
  }
  return paths;
}

}  // namespace filecall::client
