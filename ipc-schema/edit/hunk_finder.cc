// SPDX-License-Identifier: MIT
#include "edit/hunk_finder.h"

#include <algorithm>
#include <array>

#include "edit/indent_shift.h"

namespace filecall::edit {
namespace {

/// Fewer lines than these say too little about a place when one of the hunk's does not fit.
constexpr std::size_t kLinesOfLooseFit = 3;
/// Times as much as to find a line equal by its number.
constexpr std::size_t kGradeCost = 8;
constexpr std::size_t kPlacesMax = 100'000;

bool has_word(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Whether a line can be an older or a newer form of the other: at the same depth, or half of it
/// equal. A blank one has no depth: it can be one where nothing else is doubtful.
bool are_alike(std::string_view one, std::string_view other, bool is_numbered) {
  if (is_blank(one) || is_blank(other)) return is_numbered || (is_blank(one) && is_blank(other));
  if (indentation_of(one) == indentation_of(other)) return true;
  const auto begin = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
  std::size_t end = 0;
  while (begin + end < std::min(one.size(), other.size()) &&
         one[one.size() - 1 - end] == other[other.size() - 1 - end]) {
    ++end;
  }
  return 2 * (begin + end) >= std::max(one.size(), other.size());
}

EditRefusal too_much_work() {
  EditRefusal refusal;
  refusal.reason = EditRefusal::Reason::kWorkLimit;
  return refusal;
}

/// Lines that each of the hunk's anchors can stand at, behind the anchors before it.
std::vector<std::int64_t> anchor_lines(const PatchHunk& hunk, const LineIndex& index) {
  std::vector<std::int64_t> lines;
  std::int64_t after = -1;
  for (const std::string& anchor : hunk.anchors) {
    lines.clear();
    const std::int32_t number = index.number_of(anchor);
    const auto numbers = index.numbers();
    for (auto i = static_cast<std::size_t>(after + 1); i < numbers.size(); ++i) {
      if (numbers[i] == number) lines.push_back(static_cast<std::int64_t>(i));
    }
    if (lines.empty()) return lines;
    after = lines.front();
  }
  return lines;
}

/// Whether all between an anchor and a place is indented deeper than the anchor, brackets apart.
bool is_in_scope(const TextLines& text, std::int64_t anchor, std::int64_t place) {
  const std::size_t margin = indentation_of(text.text(static_cast<std::size_t>(anchor))).size();
  for (std::int64_t i = anchor + 1; i < place; ++i) {
    const std::string_view line = text.text(static_cast<std::size_t>(i));
    if (indentation_of(line).size() <= margin && has_word(line)) return false;
  }
  return true;
}

}  // namespace

std::string_view to_string(Grade grade) {
  constexpr std::array<std::string_view, 7> kNames = {
      "exact",       "line_end",     "trailing_space", "indentation",
      "punctuation", "missing_line", "outer_context"};
  return kNames.at(static_cast<std::size_t>(grade));
}

OldLines::OldLines(const PatchHunk& hunk, const LineIndex& index) : hunk_(&hunk) {
  bool is_changed = false;
  bool adds_before = false;
  for (const PatchLine& line : hunk.lines) {
    if (line.sign == Sign::kAdded) {
      is_changed = adds_before = true;
      trailing_ = 0;
      continue;
    }
    // A line between two that are removed, or where lines are added, may be meant either way.
    const bool is_removed = line.sign == Sign::kRemoved;
    const bool after_removed = !lines_.empty() && lines_.back()->sign == Sign::kRemoved;
    may_lack_.push_back(after_removed ? !is_removed : !adds_before);
    is_changed = is_changed || is_removed;
    adds_before = false;
    lines_.push_back(&line);
    numbers_.push_back(index.number_of(line.text));
    if (!is_changed) ++leading_;
    trailing_ = is_removed ? 0 : trailing_ + 1;
  }
}

std::string_view HunkFinder::text_for(const PatchLine& old, std::size_t line) const {
  std::string_view found = text_.text(line);
  if (line == 0 && text_.has_mark() && !old.text.starts_with(kByteOrderMark)) {
    found.remove_prefix(kByteOrderMark.size());
  }
  return found;
}

void HunkFinder::grade(const OldLines& old, HunkPlace& place) const {
  IndentShift shift;
  Grade worst = Grade::kExact;
  const auto loosen = [&](Grade grade) { worst = std::max(worst, grade); };
  for (std::size_t i = place.first; i < place.last; ++i) {
    const auto line = static_cast<std::size_t>(place.line_of(i));
    const PatchLine& want = old.line(i);
    const std::string_view found = text_for(want, line);
    if (want.end != text_.end(line) || found.size() != text_.text(line).size()) {
      place.ends_differ = true;
    }
    if (found != want.text) loosen(Grade::kTrailingSpace);
    if (is_blank(want.text) && is_blank(found)) continue;
    shift.add(found, want.text);
    const auto body = [](std::string_view text) {
      return without_trailing(text.substr(indentation_of(text).size()));
    };
    if (body(found) != body(want.text)) loosen(Grade::kPunctuation);
  }
  place.is_usable = shift.decide() && place.is_usable;
  place.shift = shift.bytes();
  place.is_deeper = shift.is_deeper();
  if (!place.shift.empty()) loosen(Grade::kIndentation);
  if (place.ends_differ) loosen(Grade::kLineEnd);
  for (const PatchLine& line : old.hunk().lines) {
    if (line.sign == Sign::kAdded && !shift.fits_added(line.text)) place.is_usable = false;
  }
  place.grade = worst;
}

bool HunkFinder::whole(const OldLines& old, std::size_t first, std::size_t last, WorkBudget& budget,
                       Places& places) const {
  const auto pattern = old.numbers().subspan(first, last - first);
  if (pattern.empty() || std::ranges::find(pattern, LineIndex::kUnknown) != pattern.end()) {
    return true;
  }
  if (!budget.spend(text_.size() + pattern.size())) return false;
  const auto lengths = prefix_lengths(pattern, index_.numbers());
  for (std::size_t at = 0; at < lengths.size(); ++at) {
    if (lengths[at] < pattern.size()) continue;
    if (places.size() >= kPlacesMax || !budget.spend(kGradeCost * pattern.size())) return false;
    HunkPlace place;
    place.start = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(first);
    place.first = first;
    place.last = last;
    grade(old, place);
    places.push_back(place);
  }
  return true;
}

bool HunkFinder::may_drop_outer(const OldLines& old, const HunkPlace& place) const {
  const auto& stated = old.hunk().place;
  const bool is_numbered = stated && place.start + 1 == stated->old_start;
  const bool is_named = is_numbered || !old.hunk().anchors.empty();
  const auto is_alike = [&](std::size_t i) {
    const std::int64_t line = place.line_of(i);
    return line >= 0 && line < static_cast<std::int64_t>(text_.size()) &&
           are_alike(text_for(old.line(i), static_cast<std::size_t>(line)), old.line(i).text,
                     is_numbered);
  };
  for (std::size_t i = 0; is_named && i < old.size(); ++i) {
    if ((i < place.first || i >= place.last) && !is_alike(i)) return false;
  }
  return is_named;
}

bool HunkFinder::with_gap(const OldLines& old, WorkBudget& budget, Places& places) const {
  const std::size_t size = old.size();
  if (size < kLinesOfLooseFit || text_.size() < size + 1) return true;
  if (!budget.spend(2 * (text_.size() + size))) return false;
  const auto before = prefix_lengths(old.numbers(), index_.numbers());
  std::vector<std::int32_t> pattern(old.numbers().rbegin(), old.numbers().rend());
  std::vector<std::int32_t> numbers(index_.numbers().rbegin(), index_.numbers().rend());
  const auto behind = prefix_lengths<std::int32_t>(pattern, numbers);
  for (std::size_t at = 0; at + size < text_.size(); ++at) {
    const std::size_t suffix = behind[text_.size() - 1 - (at + size)];
    const std::size_t least = std::max<std::size_t>(1, size - suffix);
    const std::size_t most = std::min<std::size_t>(size - 1, before[at]);
    if (least > most) continue;
    if (places.size() >= kPlacesMax || !budget.spend(kGradeCost * size)) return false;
    HunkPlace place;
    place.start = static_cast<std::int64_t>(at);
    place.last = size;
    place.gap = most;
    grade(old, place);
    // Where the gap can lie at several places, all of them must be on one side of the change.
    const bool is_one_sided =
        least == most || most <= old.leading() || least >= size - old.trailing();
    bool may_lack = true;
    for (std::size_t i = least; i <= most; ++i) may_lack = may_lack && old.may_lack_before(i);
    place.is_usable =
        place.is_usable && may_lack && is_one_sided && place.grade <= Grade::kTrailingSpace;
    place.grade = Grade::kMissingLine;
    places.push_back(place);
  }
  return true;
}

bool HunkFinder::without_outer(const OldLines& old, std::size_t dropped, WorkBudget& budget,
                               Places& places) const {
  for (std::size_t front = 0; front <= dropped; ++front) {
    const std::size_t back = dropped - front;
    // The line of context next to the change always stays.
    if ((front > 0 && old.leading() <= front) || (back > 0 && old.trailing() <= back)) continue;
    if (old.size() < dropped + kLinesOfLooseFit) continue;
    const std::size_t begin = places.size();
    if (!whole(old, front, old.size() - back, budget, places)) return false;
    for (std::size_t i = begin; i < places.size(); ++i) {
      places[i].is_usable = places[i].is_usable && places[i].grade <= Grade::kTrailingSpace &&
                            may_drop_outer(old, places[i]);
      places[i].grade = Grade::kOuterContext;
    }
  }
  std::ranges::sort(places, {}, &HunkPlace::start);
  const auto twice = std::unique(
      places.begin(), places.end(),
      [](const HunkPlace& one, const HunkPlace& two) { return one.start == two.start; });
  places.erase(twice, places.end());
  return true;
}

bool HunkFinder::keep_anchored(const PatchHunk& hunk, WorkBudget& budget, Places& places) const {
  if (hunk.anchors.empty() || places.empty()) return true;
  if (!budget.spend(hunk.anchors.size() * text_.size())) return false;
  const auto anchors = anchor_lines(hunk, index_);
  Places behind;
  Places in_scope;
  for (const HunkPlace& place : places) {
    // The anchor may be the hunk's first line as well.
    const auto above = std::upper_bound(anchors.begin(), anchors.end(), place.start);
    if (above == anchors.begin()) continue;
    const std::int64_t anchor = *std::prev(above);
    if (!budget.spend(static_cast<std::size_t>(place.start - anchor) + 1)) return false;
    behind.push_back(place);
    if (is_in_scope(text_, anchor, place.start)) in_scope.push_back(place);
  }
  places = in_scope.empty() ? std::move(behind) : std::move(in_scope);
  return true;
}

void HunkFinder::keep_at_end(const OldLines& old, Places& places) const {
  if (!old.hunk().is_at_end) return;
  std::erase_if(places, [&](const HunkPlace& place) {
    return place.line_of(old.size() - 1) + 1 != static_cast<std::int64_t>(text_.size());
  });
}

Result<std::vector<HunkPlace>, EditRefusal> HunkFinder::places(const OldLines& old,
                                                               Looseness looseness,
                                                               WorkBudget& budget) const {
  Places found;
  bool is_anchor_missed = false;
  const int stages = looseness == Looseness::kAllLines ? 1 : 4;
  for (int stage = 0; stage < stages; ++stage) {
    const bool is_done =
        stage == 0   ? whole(old, 0, old.size(), budget, found)
        : stage == 1 ? with_gap(old, budget, found)
                     : without_outer(old, static_cast<std::size_t>(stage) - 1, budget, found);
    if (!is_done) return too_much_work();
    keep_at_end(old, found);
    const bool is_found = !found.empty();
    if (!keep_anchored(old.hunk(), budget, found)) return too_much_work();
    if (!found.empty()) return found;
    is_anchor_missed = is_anchor_missed || is_found;
  }
  if (!is_anchor_missed) return found;
  EditRefusal refusal;
  refusal.reason = EditRefusal::Reason::kAnchor;
  return refusal;
}

Result<std::vector<HunkPlace>, EditRefusal> HunkFinder::looser_places(const OldLines& old,
                                                                      WorkBudget& budget) const {
  Places outer;
  Places found;
  if (!without_outer(old, 1, budget, outer) || !without_outer(old, 2, budget, outer) ||
      !with_gap(old, budget, found)) {
    return too_much_work();
  }
  found.insert(found.end(), outer.begin(), outer.end());
  return found;
}

Result<std::vector<HunkPlace>, EditRefusal> HunkFinder::applied_places(const PatchHunk& hunk,
                                                                       WorkBudget& budget) const {
  PatchHunk after;
  after.is_at_end = hunk.is_at_end;
  for (const PatchLine& line : hunk.lines) {
    if (line.sign == Sign::kRemoved) continue;
    after.lines.push_back({Sign::kContext, line.text, line.end});
  }
  Places found;
  if (std::ranges::all_of(after.lines, [](const auto& line) { return is_blank(line.text); })) {
    return found;
  }
  const OldLines lines(after, index_);
  if (!whole(lines, 0, lines.size(), budget, found)) return too_much_work();
  keep_at_end(lines, found);
  std::erase_if(found, [](const HunkPlace& place) { return !place.is_usable; });
  return found;
}

std::optional<Divergence> HunkFinder::nearest(const OldLines& old, WorkBudget& budget) const {
  const std::size_t size = old.size();
  if (size == 0 || text_.size() == 0 || !budget.spend(2 * (text_.size() + size))) {
    return std::nullopt;
  }
  const auto before = prefix_lengths(old.numbers(), index_.numbers());
  std::vector<std::int32_t> pattern(old.numbers().rbegin(), old.numbers().rend());
  std::vector<std::int32_t> numbers(index_.numbers().rbegin(), index_.numbers().rend());
  const auto behind = prefix_lengths<std::int32_t>(pattern, numbers);
  std::size_t best = 0;
  std::size_t best_equal = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    const std::size_t suffix =
        at + size <= text_.size() ? behind[text_.size() - (at + size)] : std::size_t{0};
    const std::size_t equal = std::min<std::size_t>(size, before[at] + suffix);
    if (equal > best_equal) best = at, best_equal = equal;
  }
  if (best_equal == 0) return std::nullopt;
  std::size_t line = 0;
  while (line + 1 < size && best + line < text_.size() &&
         text_for(old.line(line), best + line) == old.line(line).text) {
    ++line;
  }
  if (best_equal < size) line = std::max<std::size_t>(line, before[best]);
  line = std::min(line, size - 1);
  const bool is_there = best + line < text_.size();
  return Divergence{static_cast<std::int64_t>(best) + 1,
                    static_cast<std::int64_t>(best + line) + 1,
                    static_cast<std::int64_t>(line) + 1,
                    old.line(line).text,
                    std::string(is_there ? text_.text(best + line) : std::string_view()),
                    best_equal,
                    size};
}

}  // namespace filecall::edit
