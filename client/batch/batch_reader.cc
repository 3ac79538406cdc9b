// SPDX-License-Identifier: MIT
#include "client/batch/batch_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <utility>

#include "client/batch/table_reader.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/line_reader.h"
#include "spool/layout.h"

namespace filecall::client {

void BatchReader::CloseDirectory::operator()(__dirstream* directory) const {
  ::closedir(directory);
}

BatchReader::BatchReader(const std::vector<BatchSource>& sources) : sources_(sources) {}
BatchReader::~BatchReader() = default;

Result<bool> BatchReader::open_source() {
  lines_.reset();
  folder_.reset();
  table_.reset();
  if (opened_ == sources_.size()) return false;
  const BatchSource& source = sources_[opened_++];
  if (source.is_folder) {
    folder_.reset(::opendir(source.path.c_str()));
    if (!folder_) return fail_errno(errno, source.path);
    return true;
  }
  TRY_ASSIGN(UniqueFd fd, open_file(source.path, O_RDONLY));
  if (source.syntax != RowSyntax::kLines) {
    const char delimiter = source.syntax == RowSyntax::kTabs ? '\t' : ',';
    table_ = TableReader::open(std::move(fd), source.path, delimiter, limits::kRequestBytes,
                               source.types);
    return true;
  }
  lines_ = std::make_unique<LineReader>(std::move(fd), source.path, limits::kRequestBytes);
  return true;
}

Result<std::optional<RawItem>> BatchReader::next_line() {
  for (;;) {
    TRY_ASSIGN(const std::optional<LineReader::Line> line, lines_->next());
    if (!line) return std::optional<RawItem>();
    if (!line->is_too_long && line->text.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    RawItem item{line->text, std::nullopt, opened_ - 1, line->number, {}};
    if (line->is_too_long) {
      item.problem =
          fmt::format("longer than {} bytes, the largest request", limits::kRequestBytes);
    }
    return std::optional(std::move(item));
  }
}

Result<std::optional<RawItem>> BatchReader::next_table_row() {
  TRY_ASSIGN(auto row, table_->next());
  if (!row) return std::optional<RawItem>();
  text_ = std::move(row->object);
  return std::optional(
      RawItem{text_, std::nullopt, opened_ - 1, row->line, std::move(row->problem)});
}

Result<std::optional<RawItem>> BatchReader::next_file() {
  const BatchSource& source = sources_[opened_ - 1];
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(folder_.get());
    if (entry == nullptr) {
      if (errno != 0) return fail_errno(errno, source.path);
      return std::optional<RawItem>();
    }
    const auto stem = spool::Layout::stem_of(entry->d_name);
    if (!stem ||
        (entry->d_type != DT_REG && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)) {
      continue;
    }
    RawItem item{{}, std::string(*stem), opened_ - 1, 0, {}};
    const std::string path = source.path + "/" + entry->d_name;
    auto text = read_file(path, limits::kRequestBytes);
    if (text) {
      text_ = std::move(text).value();
      item.text = text_;
    } else {
      item.problem = text.error().message;
    }
    return std::optional(std::move(item));
  }
}

Result<std::optional<RawItem>> BatchReader::next() {
  for (;;) {
    if (lines_ || folder_ || table_) {
      TRY_ASSIGN(auto item, lines_ ? next_line() : table_ ? next_table_row() : next_file());
      if (item) return item;
    }
    TRY_ASSIGN(const bool is_open, open_source());
    if (!is_open) return std::optional<RawItem>();
  }
}

std::string item_location(const BatchSource& source, const std::optional<std::string>& stem,
                          std::int64_t line) {
  if (stem) return source.path + "/" + spool::Layout::file_name(*stem);
  return fmt::format("{}:{}", source.path, line);
}

}  // namespace filecall::client
