// SPDX-License-Identifier: MIT
#include "edit/edit_refusal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "edit/patch_reader.h"

namespace filecall::edit {
namespace {

using Reason = EditRefusal::Reason;

std::string places(const EditRefusal& refusal) {
  const std::size_t more = refusal.candidate_count - refusal.candidates.size();
  return fmt::format("{} {}{}", refusal.candidate_count == 1 ? "line" : "lines",
                     fmt::join(refusal.candidates, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string difference(const EditRefusal& refusal) {
  if (!refusal.divergence) return "";
  const Divergence& at = *refusal.divergence;
  return fmt::format(
      "; nearest is line {} ({} of {} lines are equal): line {} of the hunk is {}, line {} of the "
      "file is {}",
      at.place, at.equal, at.of, at.hunk_line, shown(at.expected), at.file_line, shown(at.actual));
}

std::string reason_text(const EditRefusal& refusal) {
  switch (refusal.reason) {
    case Reason::kNotFound:
      return "its lines are not in the file" + difference(refusal) +
             "; read the file again and give its lines as they are";
    case Reason::kAmbiguous:
      return fmt::format("its lines fit {} places, {}; give more lines around the change",
                         refusal.candidate_count, places(refusal));
    case Reason::kAppliedAlready:
      return fmt::format("is applied already, at {}", places(refusal));
    case Reason::kOverlap:
      return fmt::format("changes lines that hunk {} changes; make one hunk of both",
                         refusal.other_hunk);
    case Reason::kNoContext:
      return "only adds lines and has no line of the file; give the line before or after them";
    case Reason::kNoChange:
      return "changes nothing: the old and the new text are the same";
    case Reason::kIndentation:
      return "its lines fit but for their indentation, which is not shifted equally, at " +
             places(refusal) + difference(refusal) + "; give the lines as the file has them";
    case Reason::kAnchor:
      return "the line of its \"@@\" is not before its lines";
    case Reason::kWorkLimit:
      return "takes too much work to find; give fewer or less similar lines";
    case Reason::kFile:
    case Reason::kTextFault:
      return "";
  }
  return "";
}

}  // namespace

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kNotFound:
      return "not_found";
    case Reason::kAmbiguous:
      return "ambiguous";
    case Reason::kAppliedAlready:
      return "applied_already";
    case Reason::kOverlap:
      return "overlap";
    case Reason::kNoContext:
      return "no_context";
    case Reason::kNoChange:
      return "no_change";
    case Reason::kIndentation:
      return "indentation";
    case Reason::kAnchor:
      return "anchor";
    case Reason::kWorkLimit:
      return "work_limit";
    case Reason::kFile:
      return "file";
    case Reason::kTextFault:
      return "text_fault";
  }
  return "";
}

ErrorCode EditRefusal::code() const {
  if (reason == Reason::kNoContext || reason == Reason::kNoChange)
    return ErrorCode::kInvalidArgument;
  return ErrorCode::kFailedPrecondition;
}

std::string EditRefusal::message() const {
  std::string text;
  if (hunk > 0) text = fmt::format("hunk {}", hunk);
  if (hunk > 0 && patch_line > 0) text += fmt::format(" (patch line {})", patch_line);
  if (hunk > 0) text += ": ";
  const std::string why = reason_text(*this);
  text += why;
  if (!detail.empty()) text += (why.empty() ? "" : ": ") + detail;
  return text;
}

Error EditRefusal::to_error(std::string_view file) const {
  return {code(), fmt::format("{}: {}", file, message())};
}

}  // namespace filecall::edit
