// SPDX-License-Identifier: MIT
#include "edit/hunk_splices.h"

#include <algorithm>
#include <utility>

#include "edit/repeated_lines.h"

namespace filecall::edit {
namespace {

/// Neighbouring changed lines of a hunk: lines [begin, end) of the text become `added`.
struct ChangedRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<const PatchLine*> removed;
  std::vector<const PatchLine*> added;
};

std::vector<ChangedRun> runs_of(const PatchHunk& hunk, const HunkPlace& place,
                                std::size_t text_size) {
  std::vector<ChangedRun> runs;
  bool is_open = false;
  std::size_t old_line = 0;
  std::size_t next =
      place.last > place.first ? static_cast<std::size_t>(place.line_of(place.first)) : text_size;
  for (const PatchLine& line : hunk.lines) {
    if (line.sign == Sign::kContext) {
      is_open = false;
      const std::size_t at = old_line++;
      if (at >= place.first && at < place.last) {
        next = static_cast<std::size_t>(place.line_of(at)) + 1;
      }
      continue;
    }
    if (line.sign == Sign::kRemoved) next = static_cast<std::size_t>(place.line_of(old_line++));
    if (!is_open) runs.push_back({next, next, {}, {}});
    is_open = true;
    if (line.sign == Sign::kRemoved) {
      runs.back().end = ++next;
      runs.back().removed.push_back(&line);
    } else {
      runs.back().added.push_back(&line);
    }
  }
  return runs;
}

std::string shifted(std::string_view line, const HunkPlace& place) {
  if (place.shift.empty() || line.empty()) return std::string(line);
  if (place.is_deeper) return std::string(place.shift) + std::string(line);
  if (!line.starts_with(place.shift)) return std::string(line);  // A blank one.
  return std::string(line.substr(place.shift.size()));
}

/// Whether the text ends without a newline once a run has reached its end.
bool ends_without_newline(const TextLines& text, const PatchHunk& hunk) {
  bool is_stated = false;
  bool is_without = false;
  for (const PatchLine& line : hunk.lines) {
    if (line.end != LineEnd::kNone) continue;
    is_stated = true;
    is_without = is_without || line.sign != Sign::kRemoved;
  }
  return is_stated ? is_without : text.lacks_final_newline();
}

/// Whether the text's byte order mark is none of the hunk's business.
bool keeps_mark(const TextLines& text, const PatchHunk& hunk) {
  return text.has_mark() && std::ranges::none_of(hunk.lines, [](const PatchLine& line) {
           return line.text.starts_with(kByteOrderMark);
         });
}

/// The lines of the text that stay, for each added one: those that the hunk removes and adds again
/// where it is not written as the text is (other spaces, another indentation). They are none of the
/// hunk's business, as lines of context are not.
std::vector<std::optional<std::size_t>> kept_lines(const TextLines& text, const ChangedRun& run) {
  std::vector<std::optional<std::size_t>> none(run.added.size());
  if (run.end - run.begin != run.removed.size()) return none;
  std::size_t same = 0;
  while (same < run.removed.size() && run.removed[same]->text == text.text(run.begin + same)) {
    ++same;
  }
  // Its first line may have a mark that the hunk does not write.
  if (same == run.removed.size() || (run.begin == 0 && text.has_mark())) return none;
  auto kept = repeated_lines(run.removed, run.added);
  for (auto& line : kept) {
    if (line) *line += run.begin;
  }
  return kept;
}

Splice splice_of(const TextLines& text, const PatchHunk& hunk, const HunkPlace& place,
                 const ChangedRun& run) {
  Splice splice{text.offset(run.begin), text.offset(run.end), {}};
  const bool adopts_ends = place.ends_differ || place.last == place.first;
  const LineEnd near = text.end_near(run.begin);
  LineEnd last = LineEnd::kNone;
  const auto kept = kept_lines(text, run);
  for (std::size_t i = 0; i < run.added.size(); ++i) {
    const PatchLine* line = run.added[i];
    splice.text += kept[i] ? std::string(text.text(*kept[i])) : shifted(line->text, place);
    const bool is_own = (!adopts_ends || text.size() == 0) && line->end != LineEnd::kNone;
    last = is_own ? line->end : near;
    if (kept[i] && text.end(*kept[i]) != LineEnd::kNone) last = text.end(*kept[i]);
    splice.text += bytes_of(last);
  }
  if (run.begin == 0 && keeps_mark(text, hunk)) {
    splice.begin = kByteOrderMark.size();
    splice.end = std::max(splice.end, splice.begin);
  }
  if (run.end < text.size()) return splice;
  // The text's end: a line needs a newline when another one follows it.
  const bool is_behind_open_line = run.begin == text.size() && text.lacks_final_newline();
  if (is_behind_open_line && !run.added.empty()) splice.text.insert(0, bytes_of(near));
  if (!ends_without_newline(text, hunk)) return splice;
  if (!run.added.empty()) {
    splice.text.resize(splice.text.size() - bytes_of(last).size());
  } else if (run.begin > 0) {
    splice.begin -= bytes_of(text.end(run.begin - 1)).size();
  }
  return splice;
}

}  // namespace

std::vector<Splice> splices_of(const TextLines& text, const PatchHunk& hunk, const HunkPlace& place,
                               std::size_t number) {
  std::vector<Splice> splices;
  for (const ChangedRun& run : runs_of(hunk, place, text.size())) {
    splices.push_back(splice_of(text, hunk, place, run));
    splices.back().hunk = number;
  }
  return splices;
}

Result<std::string, MeetingHunks> spliced(std::string_view text, std::vector<Splice> splices) {
  std::ranges::sort(splices, {},
                    [](const Splice& splice) { return std::pair(splice.begin, splice.end); });
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < splices.size(); ++i) {
    const Splice& splice = splices[i];
    const bool is_same_place =
        i > 0 && splice.begin == splices[i - 1].begin && splice.end == splices[i - 1].end;
    if (splice.begin < at || is_same_place) {
      const auto [first, second] = std::minmax(splices[i - 1].hunk, splice.hunk);
      return MeetingHunks{first, second};
    }
    out += text.substr(at, splice.begin - at);
    out += splice.text;
    at = splice.end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace filecall::edit
