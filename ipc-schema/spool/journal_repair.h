// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "spool/journal_segment.h"
#include "spool/root.h"

namespace filecall::spool {

/// Puts right what a power cut left of the answers and starts that an earlier run's journal holds,
/// makes it durable and removes the journal; a file that is no journal is set aside. Only for the
/// holder of the worker lock, before anything is started, whatever durability it serves with.
/// Failure: nothing of the journal was removed.
Result<void> repair_from_journal(const Directories& directories);

/// After a sync of the published files failed: writes again, each synced, the published answers of
/// this segment.
Result<void> rewrite_published(const Directories& directories, const Segment& segment);

}  // namespace filecall::spool
