// SPDX-License-Identifier: MIT
#include "client/report/items/report_writer.h"

#include <filesystem>
#include <utility>

#include "client/report/output_file.h"

namespace filecall::client {
namespace {

/// Where a file's body waits: beside it, as there is room for it in the end.
std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string temporary_folder() {
  std::error_code status;
  const auto folder = std::filesystem::temp_directory_path(status);
  return status ? "/tmp" : folder.string();
}

}  // namespace

void ReportWriter::add_file(std::unique_ptr<ReportFormat> format, std::string path) {
  BodyFile body(folder_of(path));
  targets_.push_back({std::move(format), std::move(path), nullptr, std::move(body)});
}

void ReportWriter::add_stream(std::unique_ptr<ReportFormat> format,
                              void (*print)(std::string_view)) {
  targets_.push_back({std::move(format), "", print, BodyFile(temporary_folder())});
}

void ReportWriter::item(const ReportItem& item) {
  for (Target& target : targets_) target.body.append(target.format->item(item));
}

Result<void> ReportWriter::finish(const ReportTally& tally) {
  for (Target& target : targets_) {
    if (target.path.empty()) {
      target.print(target.format->head(tally));
      TRY(target.body.read_back([&](std::string_view piece) { target.print(piece); }));
      target.print(target.format->tail(tally));
      continue;
    }
    TRY_ASSIGN(OutputFile file, OutputFile::create(target.path));
    file.write(target.format->head(tally));
    TRY(target.body.read_back([&](std::string_view piece) { file.write(piece); }));
    file.write(target.format->tail(tally));
    TRY(file.finish());
  }
  return {};
}

}  // namespace filecall::client
