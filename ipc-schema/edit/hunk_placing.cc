// SPDX-License-Identifier: MIT
#include "edit/hunk_placing.h"

#include <algorithm>
#include <string>
#include <utility>

namespace filecall::edit {
namespace {

using Reason = EditRefusal::Reason;

bool is_at(const HunkPlace& place, const std::optional<StatedPlace>& stated) {
  return stated && place.start + 1 == stated->old_start;
}

EditRefusal numbered(EditRefusal refusal, std::span<const PatchHunk> hunks, std::size_t i) {
  refusal.hunk = i + 1;
  refusal.patch_line = hunks[i].patch_line;
  return refusal;
}

/// A hunk that only adds, behind or before lines that are followed or preceded by just that.
bool adds_what_is_there(const TextLines& text, const PatchHunk& hunk, const OldLines& old,
                        const HunkPlace& place) {
  const std::size_t added = hunk.lines.size() - old.size();
  const bool is_behind = old.leading() == old.size() && hunk.lines.front().sign == Sign::kContext;
  const bool is_before = old.trailing() == old.size() && hunk.lines.back().sign == Sign::kContext;
  if (added == 0 || is_behind == is_before) return false;
  const std::int64_t begin = is_behind ? place.line_of(old.size() - 1) + 1
                                       : place.start - static_cast<std::int64_t>(added);
  if (begin < 0 ||
      begin + static_cast<std::int64_t>(added) > static_cast<std::int64_t>(text.size())) {
    return false;
  }
  for (std::size_t i = 0; i < added; ++i) {
    const PatchLine& line = hunk.lines[is_behind ? old.size() + i : i];
    if (line.sign != Sign::kAdded) return false;
    if (line.text != text.text(static_cast<std::size_t>(begin) + i)) return false;
  }
  return true;
}

/// Whether a line number that is a little wrong cannot name this place: among lines that repeat
/// themselves any number does, and numbers are often wrong by one or two.
bool stands_alone(const HunkPlace& place, std::span<const HunkPlace> places,
                  const PatchHunk& hunk) {
  constexpr std::int64_t kLinesApart = 4;
  // A block of three lines or more, with context on both sides, that fits as it is may touch its
  // twin: a number that is wrong by one or two is that of neither.
  constexpr std::int64_t kBlockLines = 3;
  const auto size = static_cast<std::int64_t>(place.last);
  const bool is_block = size >= kBlockLines && place.grade <= Grade::kLineEnd &&
                        hunk.lines.front().sign == Sign::kContext &&
                        hunk.lines.back().sign == Sign::kContext;
  const auto apart = is_block ? size : std::max(kLinesApart, size);
  return std::ranges::none_of(places, [&](const HunkPlace& other) {
    return other.start != place.start && other.start < place.start + apart &&
           place.start < other.start + apart;
  });
}

/// Whether the lines that a hunk leaves, found somewhere, can only be its own work.
bool says_enough(const PatchHunk& hunk) {
  constexpr std::ptrdiff_t kLinesAlone = 3;
  const auto count = [&](Sign sign) {
    return std::ranges::count(hunk.lines, sign, &PatchLine::sign);
  };
  return count(Sign::kContext) > 0 || count(Sign::kAdded) >= kLinesAlone;
}

}  // namespace

EditRefusal refusal_of(Reason reason, std::string detail) {
  EditRefusal refusal;
  refusal.reason = reason;
  refusal.detail = std::move(detail);
  return refusal;
}

EditRefusal overlap_of(const MeetingHunks& hunks) {
  EditRefusal refusal = refusal_of(Reason::kOverlap);
  refusal.hunk = hunks.second + 1;
  refusal.other_hunk = hunks.first + 1;
  return refusal;
}

void add_candidates(EditRefusal& refusal, std::span<const HunkPlace> places) {
  refusal.candidate_count = places.size();
  for (const HunkPlace& place : places) {
    if (refusal.candidates.size() == EditRefusal::kCandidatesShown) break;
    refusal.candidates.push_back(std::max<std::int64_t>(0, place.start) + 1);
  }
}

Result<std::vector<HunkPlace>, EditRefusal> HunkPlacing::place(std::span<const PatchHunk> hunks) {
  std::vector<Fit> searches;
  bool are_numbers_right = true;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    auto found = search(hunks[i]);
    if (!found) return numbered(std::move(found).error(), hunks, i);
    const bool is_wrong = hunks[i].place && found->is_plain() && found->best[0].last > 0 &&
                          !is_at(found->best[0], hunks[i].place);
    are_numbers_right = are_numbers_right && !is_wrong;
    searches.push_back(*std::move(found));
  }
  Places places;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    auto chosen = choose(searches[i], hunks[i], are_numbers_right);
    if (!chosen) return numbered(std::move(chosen).error(), hunks, i);
    places.push_back(*chosen);
  }
  return places;
}

Result<HunkPlacing::Fit, EditRefusal> HunkPlacing::search(const PatchHunk& hunk) {
  const OldLines old(hunk, finder_.index());
  if (old.size() == 0) return without_old_lines(hunk);
  TRY_ASSIGN(Places places, finder_.places(old, looseness_, budget_));
  const bool is_loose = places.empty() || places[0].grade > Grade::kPunctuation;
  if (is_loose) {
    TRY_ASSIGN(Places applied, finder_.applied_places(hunk, budget_));
    if (!applied.empty() && says_enough(hunk)) {
      EditRefusal refusal = refusal_of(Reason::kAppliedAlready);
      add_candidates(refusal, applied);
      return refusal;
    }
  }
  Fit found{std::move(places), {}};
  for (const HunkPlace& place : found.places) {
    if (!place.is_usable) continue;
    if (!found.best.empty() && place.grade > found.best[0].grade) continue;
    if (!found.best.empty() && place.grade < found.best[0].grade) found.best.clear();
    found.best.push_back(place);
  }
  if (found.is_plain() && !is_loose && !is_at(found.best[0], hunk.place)) {
    TRY(add_rivals(found, hunk, old));
    TRY(check_elsewhere(found.best[0], hunk));
  }
  if (!found.best.empty()) return check_added(std::move(found), hunk, old);
  EditRefusal refusal =
      refusal_of(found.places.empty() || is_loose ? Reason::kNotFound : Reason::kIndentation);
  add_candidates(refusal, found.places);
  refusal.divergence = finder_.nearest(old, budget_);
  return refusal;
}

/// The only place is not where the hunk says, or it says nothing: what is nearly there counts, too,
/// since a hunk that is itself a little wrong can by accident fit another place.
Result<void, EditRefusal> HunkPlacing::add_rivals(Fit& found, const PatchHunk& hunk,
                                                  const OldLines& old) {
  TRY_ASSIGN(Places looser, finder_.looser_places(old, budget_));
  for (const HunkPlace& place : looser) {
    const bool is_rival =
        hunk.place ? is_at(place, hunk.place) : place.grade == Grade::kMissingLine;
    if (is_rival && place.start != found.best[0].start) found.places.push_back(place);
  }
  return {};
}

/// The same: what it leaves stands at another place, so that it may have been applied there.
Result<void, EditRefusal> HunkPlacing::check_elsewhere(const HunkPlace& chosen,
                                                       const PatchHunk& hunk) {
  if (!says_enough(hunk)) return {};
  TRY_ASSIGN(Places applied, finder_.applied_places(hunk, budget_));
  const auto old_end = chosen.start + static_cast<std::int64_t>(chosen.last);
  std::erase_if(applied, [&](const HunkPlace& place) {
    return place.start < old_end &&
           chosen.start < place.start + static_cast<std::int64_t>(place.last);
  });
  if (applied.empty()) return {};
  EditRefusal refusal = refusal_of(Reason::kAppliedAlready);
  add_candidates(refusal, applied);
  return refusal;
}

Result<HunkPlacing::Fit, EditRefusal> HunkPlacing::check_added(Fit found, const PatchHunk& hunk,
                                                               const OldLines& old) const {
  if (!found.is_plain() || !adds_what_is_there(text_, hunk, old, found.best[0])) return found;
  EditRefusal refusal = refusal_of(Reason::kAppliedAlready);
  add_candidates(refusal, found.best);
  return refusal;
}

/// Lines for an empty text, or for the end of one.
Result<HunkPlacing::Fit, EditRefusal> HunkPlacing::without_old_lines(const PatchHunk& hunk) const {
  if (text_.size() > 0 && !hunk.is_at_end) return refusal_of(Reason::kNoContext);
  if (!hunk.anchors.empty()) return refusal_of(Reason::kNoContext);
  HunkPlace place;
  place.start = static_cast<std::int64_t>(text_.size());
  return Fit{{place}, {place}};
}

Result<HunkPlace, EditRefusal> HunkPlacing::choose(const Fit& found, const PatchHunk& hunk,
                                                   bool are_numbers_right) {
  if (found.is_plain()) return found.best[0];
  for (const HunkPlace& place : found.best) {
    if (are_numbers_right && is_at(place, hunk.place) && stands_alone(place, found.places, hunk)) {
      return place;
    }
  }
  EditRefusal refusal = refusal_of(Reason::kAmbiguous);
  add_candidates(refusal, found.places);
  return refusal;
}

}  // namespace filecall::edit
