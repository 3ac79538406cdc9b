// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {

/// The lock of a thread in which a run goes on (threads/{thread}.lock), with what holds it as its
/// text: "run r1, process 42". Failure: unavailable, another run goes on in the thread.
Result<spool::FileLock> lock_for_run(const spool::Layout& layout, const std::string& thread,
                                     const std::string& holder);
/// What a run says of itself there.
std::string run_holder(std::string_view run);
/// Whether a process goes on with the run at this instant. False, too, where that cannot be read.
bool is_driven(const spool::Layout& layout, const std::string& thread, std::string_view run);

}  // namespace filecall::client
