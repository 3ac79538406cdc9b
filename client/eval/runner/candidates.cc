// SPDX-License-Identifier: MIT
#include "client/eval/runner/candidates.h"

#include "client/eval/grader.h"

namespace filecall::client {

Result<Candidates> list_candidates(Ledger& ledger, const RunScope& scope,
                                   const Selection& selection,
                                   const std::function<bool(const RequestEntry& entry)>& is_known,
                                   const std::function<bool(std::string_view id)>& may_select) {
  Candidates found;
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    const RequestEntry& entry = member.entry;
    if (!selection.selects_id(entry.request_id)) {
      found.not_selected += entry.request_id.starts_with(kQuestionPrefix) ? 0 : 1;
      return true;
    }
    // The command of an entry that was inferred from files is not known yet.
    const bool is_other =
        !entry.command.empty() && selection.command != "*" && selection.command != entry.command;
    if (is_other) ++found.not_selected;
    if (is_other || is_known(entry)) return true;
    if (entry.is_collected) {
      ++found.removed;
    } else if (entry.state == RequestState::kSuccess) {
      found.succeeded.add(entry.request_id);
    } else if (entry.state == RequestState::kGaveUp) {
      found.given_up.add(entry.request_id);
    } else if (may_select(entry.request_id)) {
      ++found.unfinished;
    }
    return true;
  }));
  return found;
}

}  // namespace filecall::client
