// SPDX-License-Identifier: MIT
#include "edit/unified_hunk.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace filecall::edit {
namespace {

constexpr std::string_view kSignatureLine = "-- ";
constexpr std::size_t kSignatureLinesMax = 4;

/// `A` or `A,B` at the beginning of a text, which is moved behind it.
struct HunkRange {
  std::int64_t start = 0;
  std::int64_t count = 1;
};
std::optional<HunkRange> take_range(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return std::nullopt;
  text.remove_prefix(1);
  HunkRange range;
  for (std::int64_t* number : {&range.start, &range.count}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || digits > 9 || text.starts_with('-')) return std::nullopt;
    text.remove_prefix(digits);
    if (number == &range.count || !text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return range;
}

/// What `@@ -1,2 +3,4 @@` says; nullopt when it is written otherwise.
struct HunkHead {
  HunkRange old_range, new_range;
};
std::optional<HunkHead> read_hunk_head(std::string_view line) {
  if (!line.starts_with("@@ ")) return std::nullopt;
  line.remove_prefix(3);
  const auto old_range = take_range(line, '-');
  if (!old_range || !line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(1);
  const auto new_range = take_range(line, '+');
  if (!new_range || !line.starts_with(" @@")) return std::nullopt;
  return HunkHead{*old_range, *new_range};
}

bool is_without_place(std::string_view line) {
  line = trimmed(line);
  return line == "@@" || line == "@@ ... @@" || line == "@@ @@";
}

bool is_sign(char c) { return c == ' ' || c == '+' || c == '-'; }

bool is_boundary(const PatchCursor& cursor, std::size_t line) {
  if (line >= cursor.stop()) return true;
  const std::string_view text = cursor.text(line);
  return text.starts_with("@@") || text.starts_with("diff ") || text.starts_with("Index: ") ||
         text.starts_with("Only in ") || begins_names(cursor, line);
}

class HunkReading {
 public:
  explicit HunkReading(PatchCursor& cursor) : cursor_(cursor) {}

  Result<PatchHunk> read() {
    PatchHunk hunk;
    hunk.patch_line = cursor_.number();
    const std::string_view line = cursor_.text();
    const auto head = read_hunk_head(line);
    if (!head && !is_without_place(line)) {
      return cursor_.refuse(
          fmt::format("a hunk begins as \"@@ -1,2 +3,4 @@\", not as {}", shown(line)));
    }
    cursor_.next();
    if (head) hunk.place = StatedPlace{head->old_range.start, head->new_range.start};
    const std::size_t begin = cursor_.at();
    if (!head || !counted_lines(*head, hunk)) {
      cursor_.move_to(begin);
      hunk.lines.clear();
      TRY(all_lines(hunk));
      if (head) note_counts(*head, hunk);
    }
    bool is_change = false;
    for (const PatchLine& found : hunk.lines) {
      is_change = is_change || found.sign != Sign::kContext;
      hunk.is_at_end = hunk.is_at_end || found.end == LineEnd::kNone;
    }
    if (!is_change) {
      return cursor_.refuse(static_cast<std::size_t>(hunk.patch_line - 1),
                            "the hunk has neither an added nor a removed line");
    }
    return hunk;
  }

  /// Reads as many lines as the header counts; false when they are not there or more follow.
  bool counted_lines(const HunkHead& head, PatchHunk& hunk) {
    std::int64_t old_left = head.old_range.count;
    std::int64_t new_left = head.new_range.count;
    while (old_left > 0 || new_left > 0) {
      if (cursor_.is_done()) return false;
      if (cursor_.begins("\\")) {
        if (!no_newline(hunk)) return false;
        continue;
      }
      if (!line(hunk)) return false;
      const Sign sign = hunk.lines.back().sign;
      if (sign != Sign::kAdded) --old_left;
      if (sign != Sign::kRemoved) --new_left;
    }
    if (cursor_.begins("\\") && !no_newline(hunk)) return false;
    if (old_left != 0 || new_left != 0) return false;
    if (is_boundary(cursor_, cursor_.at()) || begins_signature(cursor_)) return true;
    return cursor_.text().empty() || !is_sign(cursor_.text()[0]);
  }

  /// Reads lines up to what can only be another hunk or file.
  Result<void> all_lines(PatchHunk& hunk) {
    while (!is_boundary(cursor_, cursor_.at()) && !begins_signature(cursor_)) {
      if (cursor_.begins("\\")) {
        if (!no_newline(hunk)) {
          return cursor_.refuse("\"\\ No newline at end of file\" follows the last line of a side");
        }
        continue;
      }
      if (!line(hunk)) {
        return cursor_.refuse(
            fmt::format("a line of a hunk begins with \" \", \"-\" or \"+\", not as {}",
                        shown(cursor_.text())));
      }
    }
    // Empty lines without a sign, between hunks.
    while (!hunk.lines.empty() && cursor_.text(cursor_.at() - 1).empty() &&
           cursor_.at() > static_cast<std::size_t>(hunk.patch_line)) {
      hunk.lines.pop_back();
      cursor_.move_to(cursor_.at() - 1);
    }
    while (!cursor_.is_done() && cursor_.text().empty()) cursor_.next();
    return {};
  }

  bool line(PatchHunk& hunk) {
    const std::string_view text = cursor_.text();
    if (!text.empty() && !is_sign(text[0])) return false;
    hunk.lines.push_back(cursor_.hunk_line());
    cursor_.next();
    return true;
  }

  /// `\ No newline at end of file`: false when it stands where no side can end.
  bool no_newline(PatchHunk& hunk) {
    if (hunk.lines.empty() || hunk.lines.back().end == LineEnd::kNone) return false;
    PatchLine& last = hunk.lines.back();
    for (std::size_t i = 0; i + 1 < hunk.lines.size(); ++i) {
      const PatchLine& before = hunk.lines[i];
      if (before.end != LineEnd::kNone) continue;
      if (before.sign == last.sign || before.sign == Sign::kContext) return false;
    }
    if (last.end == LineEnd::kCrLf) last.text += '\r';
    last.end = LineEnd::kNone;
    cursor_.next();
    return true;
  }

  void note_counts(const HunkHead& head, PatchHunk& hunk) const {
    std::int64_t old_lines = 0;
    std::int64_t new_lines = 0;
    for (const PatchLine& found : hunk.lines) {
      old_lines += found.sign == Sign::kAdded ? 0 : 1;
      new_lines += found.sign == Sign::kRemoved ? 0 : 1;
    }
    hunk.note = fmt::format(
        "patch line {}: the header counts {} old and {} new lines, the hunk has {} and {}",
        hunk.patch_line, head.old_range.count, head.new_range.count, old_lines, new_lines);
  }

  PatchCursor& cursor_;
};

}  // namespace

bool begins_names(const PatchCursor& cursor, std::size_t line) {
  return cursor.text(line).starts_with("--- ") && cursor.text(line + 1).starts_with("+++ ");
}

bool begins_signature(const PatchCursor& cursor) {
  return !cursor.is_done() && cursor.text() == kSignatureLine &&
         cursor.stop() - cursor.at() <= kSignatureLinesMax;
}

std::optional<StatedPlace> read_stated_place(std::string_view line) {
  const auto head = read_hunk_head(line);
  if (!head) return std::nullopt;
  return StatedPlace{head->old_range.start, head->new_range.start};
}

Result<PatchHunk> read_unified_hunk(PatchCursor& cursor) { return HunkReading(cursor).read(); }

}  // namespace filecall::edit
