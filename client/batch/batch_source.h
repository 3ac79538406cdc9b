// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "spool/file_identity.h"

namespace filecall::client {

/// One input of a batch: a file of lines (JSONL) or a folder of request files.
struct BatchSource {
  std::string path;
  std::string label;  ///< The path's last component: what people call the batch.
  bool is_folder = false;
  spool::FileIdentity identity;  ///< Tells whether the file changed after it was checked.
};

/// Resolves `inputs`. "-" copies all of `stdin_fd` into a file of `batches_directory` (created if
/// needed) and syncs it first, so that an interrupted run can be continued from that copy; at most
/// once. Failures: not_found, permission_denied, invalid_argument (neither file nor folder).
Result<std::vector<BatchSource>> open_batch_sources(const std::vector<std::string>& inputs,
                                                    const std::string& batches_directory,
                                                    int stdin_fd);

/// The identity of the file at `path` now.
Result<spool::FileIdentity> identify_file(const std::string& path);

}  // namespace filecall::client
