// SPDX-License-Identifier: MIT
#include "edit/hunk_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "edit/hunk_splices.h"

namespace filecall::edit {
namespace {

/// Where a hunk of a difference stands in the text that it was made of.
HunkPlace own_place(const PatchHunk& hunk) {
  HunkPlace place;
  place.last = static_cast<std::size_t>(std::ranges::count_if(
      hunk.lines, [](const PatchLine& line) { return line.sign != Sign::kAdded; }));
  // A hunk without old lines states the line before it.
  place.start = hunk.place->old_start - (place.last > 0 ? 1 : 0);
  return place;
}

}  // namespace

Result<ChosenHunks> apply_chosen(std::string_view before, std::string_view after,
                                 std::span<const std::string> ids) {
  TRY_ASSIGN(const std::vector<DiffHunk> hunks, diff_texts(before, after));
  TRY_ASSIGN(const TextLines lines, TextLines::of(before, "the text before"));
  std::unordered_set<std::string_view> wanted(ids.begin(), ids.end());
  std::vector<Splice> splices;
  for (const DiffHunk& hunk : hunks) {
    if (wanted.erase(hunk.id) == 0) continue;
    const auto added = splices_of(lines, hunk.hunk, own_place(hunk.hunk), splices.size());
    splices.insert(splices.end(), added.begin(), added.end());
  }
  if (!wanted.empty()) {
    return fail(ErrorCode::kNotFound, fmt::format("hunk {}: the change has no such hunk; it has {}",
                                                  *std::ranges::min_element(wanted), hunks.size()));
  }
  auto content = spliced(before, std::move(splices));
  CHECK(content.has_value(), "hunks of one difference do not meet");
  ChosenHunks chosen{*std::move(content), {}};
  TRY_ASSIGN(chosen.rest, diff_texts(chosen.content, after));
  return chosen;
}

}  // namespace filecall::edit
