// SPDX-License-Identifier: MIT
#pragma once

#include "base/time.h"
#include "client/approval/core/approval_decision.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a thread keeps of a decision: who decided, for how long it holds, and each call's part.
Json decision_record(const ApprovalDecision& decision);

/// A denial of all calls of an approval's request, where nobody is there to decide. Pure.
ApprovalDecision nobody_decides(const Json& request, WallTime now);

}  // namespace filecall::client
