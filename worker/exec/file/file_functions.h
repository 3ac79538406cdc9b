// SPDX-License-Identifier: MIT
#pragma once

#include "worker/exec/file/file_command.h"

namespace filecall::worker::file {

/// The commands of the family. Their params and answers are in ipc-schema/schema
/// (command.file.*, result.file.*).

Outcome file_list(const FileJob& job);
Outcome file_read(const FileJob& job);
Outcome file_search(const FileJob& job);
Outcome file_create(const FileJob& job);
Outcome file_edit(const FileJob& job);
Outcome file_propose(const FileJob& job);
Outcome file_apply(const FileJob& job);
Outcome file_delete(const FileJob& job);

}  // namespace filecall::worker::file
