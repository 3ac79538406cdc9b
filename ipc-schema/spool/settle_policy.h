// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/time.h"
#include "ipc/request.h"
#include "spool/file_identity.h"

namespace filecall::spool {

/// Whether some process has the file open for writing.
enum class Writer : std::uint8_t { kNone, kOpen, kUnknown };

/// What one look at a file that is no valid request found.
struct FaultObservation {
  RequestFault::Kind kind = RequestFault::Kind::kSyntax;
  Writer writer = Writer::kUnknown;
  FileIdentity identity;
};

/// What is known of a file that is perhaps still being written.
struct SettleState {
  FileIdentity identity;
  MonotonicTime last_change{};  ///< When it was first seen, last changed, or last had an event.
};

struct SettleVerdict {
  bool deliver = false;        ///< Patience is over: the file is no request. Answer so.
  MonotonicTime look_again{};  ///< Otherwise: when to look next, if no event comes before.
};

/// Pure. `state` is brought up to date: another identity, or `had_event`, starts the settle time
/// again. A file that a writer has open is waited for without end, ever more rarely looked at (its
/// close is an event). A text that breaks a rule is final unless a writer has it open. Everything
/// else must stay unchanged for `settle` (kSettleEmptyFactor times that when it is empty).
SettleVerdict settle(SettleState& state, const FaultObservation& seen, bool had_event,
                     MonotonicTime now, Duration settle_time);

}  // namespace filecall::spool
