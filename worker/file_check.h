// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "worker/exec/file/file_config.h"

namespace filecall::worker {

/// What `--check-config` says of the section `file:`. Sentences for people.
struct FileCheck {
  std::vector<std::string> problems;  ///< What will not work.
  std::vector<std::string> notes;     ///< What works, and may surprise.
};

/// Looks at the directories of file.roots and file.writable, their file systems, and the
/// repositories that lie there or right below. `config`: of complete_file_config();
/// `request_roots`: where requests arrive, and changes are recorded. Changes nothing. Blocks.
FileCheck check_files(const file::FileConfig& config,
                      const std::vector<std::string>& request_roots);

}  // namespace filecall::worker
