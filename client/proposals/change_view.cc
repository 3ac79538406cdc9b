// SPDX-License-Identifier: MIT
#include "client/proposals/change_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "client/report/text_layout.h"
#include "edit/quoted_name.h"
#include "edit/unified_hunk.h"

namespace filecall::client {
namespace {

constexpr std::string_view kBold = "1", kRed = "31", kGreen = "32", kYellow = "33", kCyan = "36";
constexpr std::size_t kTabColumns = 8;
constexpr std::size_t kNumberColumns = 5;

std::string painted(std::string_view text, std::string_view colour, bool has_colour) {
  if (!has_colour || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string member_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string head(const Json& change, bool has_colour) {
  const std::string path = member_text(change, "path");
  const std::string operation = member_text(change, "operation");
  std::string title = fmt::format("{} {}", operation, one_line(path, 4096));
  if (change.contains("mode")) title += fmt::format(" (mode {})", member_text(change, "mode"));
  std::string out = painted(title, kBold, has_colour) + "\n";
  const std::string warning = member_text(change, "warning");
  if (change.value("conflict", false)) {
    const std::string why = warning.empty() ? "it cannot be made" : warning;
    out += painted("conflict: " + one_line(why, 4096), kRed, has_colour) + "\n";
  } else if (!warning.empty()) {
    out += painted("note: " + one_line(warning, 4096), kYellow, has_colour) + "\n";
  }
  return out;
}

std::string file_lines(const Json& change, bool has_colour) {
  const std::string path = member_text(change, "path");
  const std::string operation = member_text(change, "operation");
  const std::string before = operation == "create" ? "/dev/null" : edit::quote_name("a/" + path);
  const std::string after = operation == "delete" ? "/dev/null" : edit::quote_name("b/" + path);
  return painted("--- " + before, kBold, has_colour) + "\n" +
         painted("+++ " + after, kBold, has_colour) + "\n";
}

std::string hunk_line(const Json& hunk, bool has_colour) {
  return painted(member_text(hunk, "header"), kCyan, has_colour) + " hunk " +
         painted(member_text(hunk, "id"), kYellow, has_colour) + "\n";
}

std::string unified_lines(std::string_view diff, bool has_colour) {
  if (!has_colour) return std::string(diff);
  std::string out;
  while (!diff.empty()) {
    const std::string_view line = take_until(&diff, '\n');
    const std::string_view colour = line.starts_with('-')   ? kRed
                                    : line.starts_with('+') ? kGreen
                                                            : std::string_view();
    out += colour.empty() ? std::string(line) : painted(line, colour, true);
    out += '\n';
  }
  return out;
}

/// A line in so many columns: tabs become spaces, what is too long is cut.
std::string cell(std::string_view text, std::size_t columns) {
  std::string plain;
  for (const char c : text) {
    if (c != '\t') {
      plain += c;
      continue;
    }
    const std::size_t used = character_count(plain);
    plain.append(kTabColumns - used % kTabColumns, ' ');
  }
  plain = one_line(plain, columns);
  const std::size_t used = character_count(plain);
  if (used < columns) plain.append(columns - used, ' ');
  return plain;
}

/// Both sides of a hunk, line beside line.
class SideBySide {
 public:
  SideBySide(std::string_view header, const ViewOptions& options)
      : has_colour_(options.has_colour),
        columns_((std::max<std::size_t>(options.columns, 40) - 2 * kNumberColumns - 5) / 2) {
    if (const auto place = edit::read_stated_place(header)) {
      old_ = place->old_start;
      new_ = place->new_start;
    }
  }

  std::string of(std::string_view diff) {
    while (!diff.empty()) {
      const std::string_view line = take_until(&diff, '\n');
      if (line.starts_with('-')) {
        removed_.push_back(line.substr(1));
      } else if (line.starts_with('+')) {
        added_.push_back(line.substr(1));
      } else if (!line.starts_with('\\')) {
        flush();
        const std::string_view text = line.empty() ? line : line.substr(1);
        out_ += row(old_++, text, "", " ", new_++, text, "");
      }
    }
    flush();
    return std::move(out_);
  }

 private:
  std::string side(std::int64_t number, std::string_view text, std::string_view colour) const {
    const std::string shown = number > 0 ? fmt::format("{:>{}}", number, kNumberColumns)
                                         : std::string(kNumberColumns, ' ');
    const std::string content = cell(text, columns_);
    return shown + " " + (colour.empty() ? content : painted(content, colour, has_colour_));
  }
  std::string row(std::int64_t old_number, std::string_view old_text, std::string_view old_colour,
                  std::string_view mark, std::int64_t new_number, std::string_view new_text,
                  std::string_view new_colour) const {
    std::string line = side(old_number, old_text, old_colour) + " " + std::string(mark) + " " +
                       side(new_number, new_text, new_colour);
    while (line.ends_with(' ')) line.pop_back();
    return line + "\n";
  }
  void flush() {
    const std::size_t rows = std::max(removed_.size(), added_.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const bool has_old = i < removed_.size(), has_new = i < added_.size();
      out_ += row(has_old ? old_++ : 0, has_old ? removed_[i] : "", has_old ? kRed : "",
                  has_old && has_new ? "|"
                  : has_old          ? "<"
                                     : ">",
                  has_new ? new_++ : 0, has_new ? added_[i] : "", has_new ? kGreen : "");
    }
    removed_.clear();
    added_.clear();
  }

  bool has_colour_;
  std::size_t columns_;
  std::int64_t old_ = 1, new_ = 1;
  std::vector<std::string_view> removed_, added_;
  std::string out_;
};

}  // namespace

std::string change_text(const Json& change, const ViewOptions& options) {
  std::string out = head(change, options.has_colour);
  const auto hunks = change.find("hunks");
  if (hunks == change.end() || hunks->empty()) return out;
  if (!options.is_side_by_side) out += file_lines(change, options.has_colour);
  for (const Json& hunk : *hunks) {
    out += hunk_line(hunk, options.has_colour);
    const std::string diff = member_text(hunk, "diff");
    out += options.is_side_by_side ? SideBySide(member_text(hunk, "header"), options).of(diff)
                                   : unified_lines(diff, options.has_colour);
  }
  return out;
}

Json printable_change(const Json& change) {
  Json printable = change;
  if (!printable.contains("hunks")) return printable;
  for (Json& hunk : printable["hunks"]) {
    for (const char* name : {"id", "header", "diff"}) {
      if (hunk.contains(name)) hunk[name] = without_controls(member_text(hunk, name));
    }
  }
  return printable;
}

std::string merge_text(std::string_view merged, bool has_colour) {
  std::string out;
  while (!merged.empty()) {
    const std::string_view line = take_until(&merged, '\n');
    const bool is_mark = line.starts_with("<<<<<<<") || line.starts_with("|||||||") ||
                         line.starts_with("=======") || line.starts_with(">>>>>>>");
    out += is_mark ? painted(line, kRed, has_colour) : std::string(line);
    out += '\n';
  }
  return out;
}

}  // namespace filecall::client
