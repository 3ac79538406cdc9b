// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "edit/edit_refusal.h"
#include "edit/hunk_finder.h"
#include "edit/hunk_splices.h"

namespace filecall::edit {

/// Decides where hunks belong in one text: the rule that apply_hunks() states. The text and the
/// budget outlive it.
class HunkPlacing {
 public:
  HunkPlacing(const TextLines& text, Looseness looseness, WorkBudget& budget)
      : text_(text), finder_(text), looseness_(looseness), budget_(budget) {}

  /// A place for each hunk, in their order. A refusal names the first hunk that has none.
  Result<std::vector<HunkPlace>, EditRefusal> place(std::span<const PatchHunk> hunks);

 private:
  using Places = std::vector<HunkPlace>;
  /// Where one hunk fits.
  struct Fit {
    Places places;  ///< All, also where it fits too loosely.
    Places best;    ///< Those of the best grade that can be changed.
    bool is_plain() const { return best.size() == 1 && places.size() == 1; }
  };

  Result<Fit, EditRefusal> search(const PatchHunk& hunk);
  Result<void, EditRefusal> add_rivals(Fit& found, const PatchHunk& hunk, const OldLines& old);
  Result<void, EditRefusal> check_elsewhere(const HunkPlace& chosen, const PatchHunk& hunk);
  Result<Fit, EditRefusal> check_added(Fit found, const PatchHunk& hunk, const OldLines& old) const;
  Result<Fit, EditRefusal> without_old_lines(const PatchHunk& hunk) const;
  static Result<HunkPlace, EditRefusal> choose(const Fit& found, const PatchHunk& hunk,
                                               bool are_numbers_right);

  const TextLines& text_;
  HunkFinder finder_;
  Looseness looseness_;
  WorkBudget& budget_;
};

/// A refusal for a reason. Its `detail` may be empty.
EditRefusal refusal_of(EditRefusal::Reason reason, std::string detail = {});
/// Of two hunks that change the same lines.
EditRefusal overlap_of(const MeetingHunks& hunks);
/// Names the places in a refusal.
void add_candidates(EditRefusal& refusal, std::span<const HunkPlace> places);

}  // namespace filecall::edit
