// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "spool/layout.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// The request's events/{stem}.jsonl, appended to a line at a time, each by one call. Every line
/// gets "seq", from 1, and "time". At most limits::kEventsBytesMax of one execution: then one line
/// says so ("truncated"), and only those of its end follow: "exited", "finished", "given_back".
/// What a killed worker left of a line is cut off first. Null when it cannot be opened (logged).
std::unique_ptr<EventSink> open_event_file(const spool::Layout& layout, std::string_view stem,
                                           mode_t mode = 0600);

}  // namespace filecall::worker
