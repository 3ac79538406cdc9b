// SPDX-License-Identifier: MIT
#include "client/eval/runner/candidates.h"

namespace filecall::client {

Result<Candidates> list_candidates(Ledger& ledger, const Selection& selection,
                                   const std::function<bool(const RequestEntry& entry)>& is_known) {
  Candidates found;
  TRY(ledger.for_each({.batch = selection.batch}, [&](const RequestEntry& entry) {
    if (!selection.selects_id(entry.request_id)) return true;
    // The command of an entry that was inferred from files is not known yet.
    const bool is_other =
        !entry.command.empty() && selection.command != "*" && selection.command != entry.command;
    if (is_other || is_known(entry)) return true;
    if (entry.state == RequestState::kSuccess) {
      found.succeeded.add(entry.request_id);
    } else if (entry.state == RequestState::kGaveUp) {
      found.given_up.add(entry.request_id);
    } else {
      ++found.unfinished;
    }
    return true;
  }));
  return found;
}

}  // namespace filecall::client
