// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "spool/layout.h"

namespace filecall::client {

/// The key that signs decisions: client/approval.key, 64 hex digits of the kernel's randomness, of
/// mode 0600, made when it is first asked for. Two who make it at once get the same. Who can read
/// it can decide; a sandbox that hides the root keeps tools from it. Blocking; any thread.
/// Failures: permission_denied, it belongs to another user or others may read it; data_loss, it is
/// no key; what the system calls return.
Result<std::string> approval_key(const spool::Layout& layout);

}  // namespace filecall::client
