// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/changes/change_directories.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_rules.h"

namespace filecall::worker::file {

/// A file that was created, and the directories that were created for it, as answers name them.
struct NewFile {
  std::string name;
  std::vector<std::string> directories;
};

/// Makes the directories that are a part of a place's name (open_for_create()), and has it lie in
/// the last of them. What then fails removes them again (remove_empty_directories()). Failures:
/// DirectoryMaker's. Blocks; any thread.
Result<void> make_missing_directories(ChangePlace& place, changes::DirectoryMaker& maker);

/// Creates a file with the directories that are missing: all of it, durable when this returns, or
/// nothing. All names are looked at before anything is made, and directories that were made for
/// what then fails are removed; only a worker that is killed in the midst leaves some, empty ones.
/// Without `mode` the umask decides. Failures: those of open_for_create() and publish_new().
/// Blocks; any thread.
Result<NewFile> create_file(const FileRules& rules, std::string_view path, std::string_view pointer,
                            std::string_view bytes, std::optional<unsigned> mode);

}  // namespace filecall::worker::file
