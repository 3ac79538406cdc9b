// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// What a run that begins knows of its thread: the last messages, the list of things to do, and
/// what people have allowed for the thread. Nothing from before a deletion. A fork begins with the
/// messages and the list of its parent, but what was allowed there was allowed for that thread.
struct ThreadPast {
  Json messages = Json::array();     ///< {role, text}, the last ones, each bounded.
  Json todo;                         ///< {version, items}; null: none.
  std::vector<std::string> granted;  ///< Rules, as text of policy.
};

/// Reads a thread from its end back to where its last run began, which knew what was before it.
/// Blocking. Failures: as of ThreadReader::open(), and of data that was spilled and is not there.
Result<ThreadPast> read_thread_past(const spool::Layout& layout, std::string_view thread);

}  // namespace filecall::client
