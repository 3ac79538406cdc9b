// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <string.h>  // memmem

#include <algorithm>
#include <utility>

#include "edit/file_edit.h"
#include "edit/hunk_placing.h"
#include "edit/hunk_splices.h"
#include "edit/text_form.h"

namespace filecall::edit {
namespace {

using Reason = EditRefusal::Reason;

constexpr std::size_t kPlacesCounted = 1000;

/// Offsets where a text stands, overlapping ones too, at most kPlacesCounted.
std::vector<std::size_t> offsets_of(std::string_view wanted, std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at + wanted.size() <= text.size() && found.size() < kPlacesCounted;) {
    // Linear whatever the texts are, as find() is not.
    const void* hit = ::memmem(text.data() + at, text.size() - at, wanted.data(), wanted.size());
    if (!hit) break;
    found.push_back(static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()));
    at = found.back() + 1;
  }
  return found;
}

std::string_view without_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
  return text;
}

std::vector<PatchLine> lines_of_edit(std::string_view text, Sign sign) {
  std::vector<PatchLine> lines;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 1, text.size()));
    const bool is_crlf = line.ends_with('\r');
    if (is_crlf) line.remove_suffix(1);
    lines.push_back({sign, std::string(line), is_crlf ? LineEnd::kCrLf : LineEnd::kLf});
  }
  return lines;
}

/// An edit as a hunk: the lines that both texts begin or end with are context.
PatchHunk hunk_of(const TextEdit& edit) {
  std::vector<PatchLine> before = lines_of_edit(edit.old_text, Sign::kRemoved);
  std::vector<PatchLine> after = lines_of_edit(edit.new_text, Sign::kAdded);
  const auto are_equal = [](const PatchLine& a, const PatchLine& b) { return a.text == b.text; };
  const auto begin = static_cast<std::size_t>(std::ranges::mismatch(before, after, are_equal).in1 -
                                              before.begin());
  std::size_t end = 0;
  while (begin + end < std::min(before.size(), after.size()) &&
         are_equal(before[before.size() - 1 - end], after[after.size() - 1 - end])) {
    ++end;
  }
  PatchHunk hunk;
  for (std::size_t i = 0; i + end < before.size(); ++i) {
    hunk.lines.push_back(std::move(before[i]));
    if (i < begin) hunk.lines.back().sign = Sign::kContext;
  }
  for (std::size_t i = begin; i + end < after.size(); ++i) {
    hunk.lines.push_back(std::move(after[i]));
  }
  for (std::size_t i = before.size() - end; i < before.size(); ++i) {
    hunk.lines.push_back(std::move(before[i]));
    hunk.lines.back().sign = Sign::kContext;
  }
  return hunk;
}

class EditPlacing {
 public:
  EditPlacing(std::string_view text, TextLines lines, WorkBudget& budget)
      : text_(text), lines_(std::move(lines)), budget_(budget) {}

  Result<void, EditRefusal> add(const TextEdit& edit) {
    if (edit.old_text == edit.new_text) return refusal_of(Reason::kNoChange);
    if (without_newline(edit.old_text) == without_newline(edit.new_text)) {
      means_final_newline_ = true;
    }
    if (edit.old_text.empty()) {
      if (!text_.empty()) return refusal_of(Reason::kNoContext, "the old text is empty");
      splices_.push_back({0, 0, edit.new_text, edited_.hunks.size()});
      edited_.hunks.push_back({Grade::kExact, 1, {}});
      return {};
    }
    const auto offsets = offsets_of(edit.old_text, text_);
    if (offsets.empty()) return add_lines(edit);
    if (offsets.size() > 1) return ambiguous(offsets);
    add_bytes(edit, offsets[0]);
    return {};
  }

  Result<EditedText, EditRefusal> take() {
    auto content = spliced(text_, std::move(splices_));
    if (!content) return overlap_of(content.error());
    edited_.content = means_final_newline_ ? *std::move(content)
                                           : with_final_newline_of(text_, *std::move(content));
    return std::move(edited_);
  }

 private:
  std::int64_t number_at(std::size_t offset) const {
    return static_cast<std::int64_t>(lines_.line_at(offset)) + 1;
  }

  /// How the lines of a part end, or the one that it is in; kNone: in several ways, or in none.
  LineEnd end_of_part(std::size_t begin, std::size_t end) const {
    const std::size_t first = lines_.line_at(begin);
    std::optional<LineEnd> found;
    for (std::size_t line = first; line < lines_.size() && lines_.offset(line + 1) <= end; ++line) {
      if (lines_.end(line) == LineEnd::kNone) break;
      if (found && lines_.end(line) != *found) return LineEnd::kNone;
      found = lines_.end(line);
    }
    if (!found && lines_.end(0) != LineEnd::kNone) found = lines_.end_near(first);
    return found.value_or(LineEnd::kNone);
  }

  void add_bytes(const TextEdit& edit, std::size_t at) {
    const std::size_t behind = at + edit.old_text.size();
    std::string text = edit.new_text;
    const LineEnd end = end_of_part(at, behind);
    const bool means_ends = with_ends(edit.old_text, LineEnd::kLf) == with_ends(text, LineEnd::kLf);
    if (end != LineEnd::kNone && !means_ends) text = with_ends(text, end);
    // The CR of a line end may stand before the part.
    if (at > 0 && text_[at - 1] == '\r' && text.starts_with("\r\n")) text.erase(0, 1);
    splices_.push_back({at, behind, std::move(text), edited_.hunks.size()});
    edited_.hunks.push_back({Grade::kExact, number_at(at), {}});
  }

  EditRefusal ambiguous(const std::vector<std::size_t>& offsets) const {
    EditRefusal refusal = refusal_of(Reason::kAmbiguous);
    refusal.candidate_count = offsets.size();
    for (const std::size_t at : offsets) {
      if (refusal.candidates.size() == EditRefusal::kCandidatesShown) break;
      refusal.candidates.push_back(number_at(at));
    }
    return refusal;
  }

  Result<void, EditRefusal> add_lines(const TextEdit& edit) {
    const PatchHunk hunk = hunk_of(edit);
    if (!placing_) placing_.emplace(lines_, Looseness::kAllLines, budget_);
    auto places = placing_->place({&hunk, 1});
    if (!places) {
      EditRefusal refusal = std::move(places).error();
      const auto there = offsets_of(edit.new_text, text_);
      if (refusal.reason == Reason::kNotFound && !edit.new_text.empty() && !there.empty()) {
        refusal.detail = fmt::format("the new text stands at line {}", number_at(there[0]));
      }
      return refusal;
    }
    const HunkPlace& place = places->front();
    const auto added = splices_of(lines_, hunk, place, edited_.hunks.size());
    splices_.insert(splices_.end(), added.begin(), added.end());
    edited_.hunks.push_back({place.grade, std::max<std::int64_t>(0, place.start) + 1, {}});
    return {};
  }

  std::string_view text_;
  TextLines lines_;
  WorkBudget& budget_;
  std::optional<HunkPlacing> placing_;
  std::vector<Splice> splices_;
  EditedText edited_;
  bool means_final_newline_ = false;  ///< An edit changes nothing else.
};

}  // namespace

Result<EditedText, EditRefusal> apply_edits(std::string_view text, std::span<const TextEdit> edits,
                                            WorkBudget budget) {
  auto lines = TextLines::of(text, "the file");
  if (!lines) return refusal_of(Reason::kTextFault, std::move(lines).error().message);
  EditPlacing placing(text, *std::move(lines), budget);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    auto added = placing.add(edits[i]);
    if (added) continue;
    EditRefusal refusal = std::move(added).error();
    refusal.hunk = i + 1;
    refusal.patch_line = 0;
    return refusal;
  }
  return placing.take();
}

}  // namespace filecall::edit
