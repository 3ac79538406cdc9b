// SPDX-License-Identifier: MIT
#include "client/batch/table_reader.h"

#include <csv.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "ipc/json.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kCellShown = 40;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// RFC 4180: "Spaces are considered part of a field".
int no_space(unsigned char) { return 0; }

}  // namespace

/// The table as libcsv reads it.
class TableReader::Csv {
 public:
  Csv(UniqueFd fd, std::string name, char delimiter, std::size_t row_bytes_max, ColumnTypes types)
      : fd_(std::move(fd)),
        name_(std::move(name)),
        row_bytes_max_(row_bytes_max),
        types_(std::move(types)) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
    csv_set_space_func(&parser_, no_space);
  }
  Csv(const Csv&) = delete;
  Csv& operator=(const Csv&) = delete;
  ~Csv() { csv_free(&parser_); }

  Result<std::optional<Row>> next() {
    while (rows_.empty() && !is_over_) TRY(read_more());
    if (rows_.empty()) return std::optional<Row>();
    Row row = std::move(rows_.front());
    rows_.pop_front();
    return std::optional(std::move(row));
  }

 private:
  static void on_field(void* bytes, std::size_t size, void* self) {
    auto* reader = static_cast<Csv*>(self);
    reader->fields_.emplace_back(static_cast<const char*>(bytes), size);
  }
  static void on_row(int, void* self) { static_cast<Csv*>(self)->end_row(); }

  Result<void> read_more() {
    std::string bytes(kReadBytes, '\0');
    ssize_t got = 0;
    do {
      got = ::read(fd_.get(), bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) return fail_errno(errno, name_ + ": read");
    if (got == 0) {
      is_over_ = true;
      if (csv_fini(&parser_, on_field, on_row, this) != 0) {
        add_problem("a quote is opened and not closed");
      }
      return {};
    }
    std::string_view rest(bytes.data(), static_cast<std::size_t>(got));
    if (is_begin_ && rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    is_begin_ = false;
    while (!rest.empty() && !is_over_) {
      const std::size_t newline = std::min(rest.find('\n'), rest.size() - 1);
      feed(rest.substr(0, newline + 1));
      rest.remove_prefix(newline + 1);
    }
    return {};
  }

  /// At most one line at a time, so that a row knows where it began.
  void feed(std::string_view piece) {
    const bool ends_line = piece.ends_with('\n');
    const bool is_blank = row_bytes_ == 0 && piece.find_first_not_of("\r\n") == piece.npos;
    if (!is_blank) {
      if (row_bytes_ == 0) row_line_ = line_;
      row_bytes_ += piece.size();
      if (row_bytes_ > row_bytes_max_) {
        add_problem(
            fmt::format("the row is longer than {} bytes; is a quote not closed?", row_bytes_max_));
        is_over_ = true;
      } else if (csv_parse(&parser_, piece.data(), piece.size(), on_field, on_row, this) !=
                 piece.size()) {
        add_problem("a quote stands where none may be: quote the field, and double quotes in it");
        is_over_ = true;
      }
    }
    if (ends_line) ++line_;
  }

  void end_row() {
    row_bytes_ = 0;
    std::vector<std::string> fields = std::exchange(fields_, {});
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (is_valid_utf8(fields[i])) continue;
      return add_problem(fmt::format("column {} is not UTF-8", i + 1));
    }
    if (columns_.empty()) return take_header(std::move(fields));
    if (fields.size() != columns_.size()) {
      return add_problem(fmt::format("has {}; there {} {}",
                                     counted_noun(std::ssize(fields), "field"),
                                     one_or_many(std::ssize(columns_), "is", "are"),
                                     counted_noun(std::ssize(columns_), "column")));
    }
    Json object = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto type = types_.find(columns_[i]);
      if (type == types_.end()) {
        object[columns_[i]] = std::move(fields[i]);
        continue;
      }
      auto value = typed_cell(fields[i], type->second);
      if (!value) {
        return add_problem(fmt::format("column '{}': '{}' {}; correct the cell, or the type",
                                       columns_[i], excerpt(fields[i], kCellShown), value.error()));
      }
      object[columns_[i]] = *std::move(value);
    }
    rows_.push_back({dump_json(object), row_line_, {}});
  }

  void take_header(std::vector<std::string> names) {
    columns_ = std::move(names);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto here = columns_.begin() + static_cast<std::ptrdiff_t>(i);
      if (columns_[i].empty()) {
        add_problem(fmt::format("column {} has no name; the first row names them", i + 1));
      } else if (std::find(columns_.begin(), here, columns_[i]) != here) {
        add_problem(fmt::format("two columns are called '{}'", columns_[i]));
      } else {
        continue;
      }
      is_over_ = true;
    }
    for (const auto& [column, type] : types_) {
      if (std::find(columns_.begin(), columns_.end(), column) != columns_.end()) continue;
      const std::vector<std::string_view> known(columns_.begin(), columns_.end());
      add_problem(fmt::format("--types: there is no column '{}'{}", excerpt(column, kCellShown),
                              suggest(column, known)));
      is_over_ = true;
    }
  }

  void add_problem(std::string problem) {
    rows_.push_back({{}, row_line_, std::move(problem)});
    fields_.clear();
  }

  UniqueFd fd_;
  std::string name_;
  std::size_t row_bytes_max_;
  ColumnTypes types_;
  csv_parser parser_{};
  std::vector<std::string> columns_;
  std::vector<std::string> fields_;  ///< Of the row that is being read.
  std::deque<Row> rows_;
  std::int64_t line_ = 1;
  std::int64_t row_line_ = 1;
  std::size_t row_bytes_ = 0;  ///< Read of the row so far; 0: between rows.
  bool is_begin_ = true;
  bool is_over_ = false;
};

TableReader::TableReader(std::unique_ptr<Csv> csv) : csv_(std::move(csv)) {}

TableReader::~TableReader() = default;

std::unique_ptr<TableReader> TableReader::open(UniqueFd fd, std::string name, char delimiter,
                                               std::size_t row_bytes_max, ColumnTypes types) {
  return std::unique_ptr<TableReader>(new TableReader(std::make_unique<Csv>(
      std::move(fd), std::move(name), delimiter, row_bytes_max, std::move(types))));
}

Result<std::optional<TableReader::Row>> TableReader::next() { return csv_->next(); }

}  // namespace filecall::client
