// SPDX-License-Identifier: MIT
#include "client/proposals/side_by_side.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "base/visible_text.h"
#include "client/report/text_layout.h"
#include "edit/unified_hunk.h"

namespace filecall::client {
namespace {

constexpr std::string_view kRemovedColour = "31", kAddedColour = "32";
constexpr std::size_t kTabColumns = 8;
constexpr std::size_t kNumberColumns = 5;
constexpr std::size_t kColumnsMin = 40;
constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;

/// One line of one side.
struct SideLine {
  std::string text;
  bool has_end = true;
};

std::string with_blanks_for_tabs(std::string_view text) {
  std::string plain;
  std::size_t used = 0;
  for (const char c : text) {
    if (c == '\t') {
      const std::size_t blanks = kTabColumns - used % kTabColumns;
      plain.append(blanks, ' ');
      used += blanks;
      continue;
    }
    plain += c;
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++used;
  }
  return plain;
}

/// A text in rows of so many columns; the last one is filled.
std::vector<std::string> rows_of(const std::string& text, std::size_t columns) {
  const std::string plain = one_line(visible_line(with_blanks_for_tabs(text)), kLineBytesMax);
  std::vector<std::string> rows(1);
  std::size_t used = 0;
  for (const char c : plain) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && used == columns) {
      rows.emplace_back();
      used = 0;
    }
    used += begins ? 1 : 0;
    rows.back() += c;
  }
  rows.back().append(columns - used, ' ');
  return rows;
}

class SideBySide {
 public:
  SideBySide(std::string_view header, const ViewOptions& options)
      : has_colour_(options.has_colour),
        columns_((std::max(options.columns, kColumnsMin) - 2 * kNumberColumns - 5) / 2) {
    if (const auto place = edit::read_stated_place(header)) {
      old_ = place->old_start;
      new_ = place->new_start;
    }
  }

  std::string of(std::string_view diff) {
    while (!diff.empty()) {
      const std::string_view line = take_until(&diff, '\n');
      if (line.starts_with('\\')) {
        end_is_missing();
        continue;
      }
      const char sign = line.empty() ? ' ' : line.front();
      const SideLine side{std::string(line.empty() ? line : line.substr(1))};
      if (sign != last_sign_ && (sign == ' ' || last_sign_ == ' ' || sign == '-')) flush();
      last_sign_ = sign;
      if (sign != '+') removed_.push_back(side);
      if (sign != '-') added_.push_back(side);
    }
    flush();
    return std::move(out_);
  }

 private:
  void end_is_missing() {
    if (last_sign_ != '+' && !removed_.empty()) removed_.back().has_end = false;
    if (last_sign_ != '-' && !added_.empty()) added_.back().has_end = false;
  }
  /// What is shown of a line beside its other side; a carriage return that both have is none.
  static std::string shown(const SideLine& line, const SideLine* other) {
    std::string text = line.text;
    const bool has_return = text.ends_with('\r');
    if (has_return) text.pop_back();
    if (has_return && (other == nullptr || !other->text.ends_with('\r'))) text += "^M";
    if (!line.has_end && (other == nullptr || other->has_end)) text += " (no newline at the end)";
    return text;
  }
  std::string painted(const std::string& text, std::string_view colour) const {
    if (!has_colour_ || colour.empty()) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
  }
  /// One line of each side, null: that side has none.
  void add(const SideLine* before, const SideLine* after, const char* mark, bool is_change) {
    const auto before_rows =
        rows_of(before == nullptr ? std::string() : shown(*before, after), columns_);
    const auto after_rows =
        rows_of(after == nullptr ? std::string() : shown(*after, before), columns_);
    const std::string nothing(columns_, ' ');
    const std::size_t count = std::max(before_rows.size(), after_rows.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto cell = [&](const auto& rows) { return i < rows.size() ? rows[i] : nothing; };
      const auto number = [&](const SideLine* line, std::int64_t value) {
        return i == 0 && line != nullptr ? fmt::format("{:>{}}", value, kNumberColumns)
                                         : std::string(kNumberColumns, ' ');
      };
      const std::string_view red = is_change && before != nullptr ? kRemovedColour : "";
      const std::string_view green = is_change && after != nullptr ? kAddedColour : "";
      std::string row =
          fmt::format("{} {} {} {} {}", number(before, old_), painted(cell(before_rows), red), mark,
                      number(after, new_), painted(cell(after_rows), green));
      while (row.ends_with(' ')) row.pop_back();
      out_ += row + "\n";
    }
    if (before != nullptr) ++old_;
    if (after != nullptr) ++new_;
  }
  void flush() {
    const bool is_context = last_sign_ == ' ';
    const std::size_t rows = std::max(removed_.size(), added_.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const SideLine* before = i < removed_.size() ? &removed_[i] : nullptr;
      const SideLine* after = i < added_.size() ? &added_[i] : nullptr;
      const char* mark = is_context ? " " : after == nullptr ? "<" : before == nullptr ? ">" : "|";
      add(before, after, mark, !is_context);
    }
    removed_.clear();
    added_.clear();
  }

  bool has_colour_;
  std::size_t columns_;
  std::int64_t old_ = 1, new_ = 1;
  char last_sign_ = ' ';
  std::vector<SideLine> removed_, added_;
  std::string out_;
};

}  // namespace

std::string side_by_side(std::string_view header, std::string_view diff,
                         const ViewOptions& options) {
  return SideBySide(header, options).of(diff);
}

}  // namespace filecall::client
