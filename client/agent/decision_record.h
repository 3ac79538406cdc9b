// SPDX-License-Identifier: MIT
#pragma once

#include "client/approval/core/approval_decision.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a thread keeps of a decision: who decided, for how long it holds, and each call's part.
Json decision_record(const ApprovalDecision& decision);

}  // namespace filecall::client
