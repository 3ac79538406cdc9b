// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/changes/change_decision.h"

namespace filecall::worker::changes {

/// The mark of a content in memory. Pure.
ContentMark mark_of(std::string_view bytes);

/// The files of steps, by the open descriptor of their directory (O_PATH is enough). All of it
/// blocks; any thread.

/// What a name of the step holds; never waits for a FIFO, never follows a link.
Holds look_at(int directory, const std::string& name, const ChangeStep& step);
StepState state_of(int directory, const ChangeStep& step);

/// A power cut may leave a file that was to get its name under both names, where a file system does
/// not make a rename as a whole: the name beside goes. Content that is equal is not enough.
void drop_second_name(int directory, const ChangeStep& step);

/// Moves or drops what the act says. A move never replaces anything. Nothing is synced. Failure:
/// errno's, with the file's name.
Result<void> perform_act(int directory, const ChangeStep& step, StepAct act);

/// Makes the entries of a directory durable.
Result<void> sync_entries(int directory, std::string_view shown);

/// Opens a directory by its whole name, on which nothing may be a link.
Result<UniqueFd> open_directory(const std::string& path);

}  // namespace filecall::worker::changes
