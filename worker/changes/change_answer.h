// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/changes/change_journal.h"
#include "worker/changes/change_work.h"

namespace filecall::worker::changes {

/// Answers to a request that makes a set of changes. A failure says in its details what the files
/// are: {"changes": "undone"}, all as before, or {"changes": "torn", "files": [...]}. Of a commit:
/// {"changes": "undone"}, it was not made, or {"changes": "unknown", "commit": ID}. Pure.

/// Of what was not made.
Failure failure_of(ChangeFailure&& failure);
/// Of what an earlier run left and finish_changes() brought to an end.
Result<Json, Failure> answer_of(const ChangeRecord& record, const FinishedChanges& finished);
/// Of a start that an earlier run recorded, and that had recorded no changes yet.
Failure nothing_begun();
/// The same of a command whose record only watches (StepKind::kWatch): git.commit.
Failure nothing_committed();

}  // namespace filecall::worker::changes
