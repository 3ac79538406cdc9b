// SPDX-License-Identifier: MIT
#pragma once

namespace filecall::worker {

/// Gives the allocator's free pages back to the system. Without it a process stays as large as a
/// burst, or a scan of a million names, once made it. Any thread; takes up to some milliseconds
/// after such a peak and next to nothing otherwise, so it belongs into quiet moments.
void release_free_memory();

}  // namespace filecall::worker
