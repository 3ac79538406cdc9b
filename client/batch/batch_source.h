// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/batch/column_types.h"
#include "spool/file_identity.h"

namespace filecall::client {

/// How a file is made of rows.
enum class RowSyntax : std::uint8_t {
  kLines,   ///< A JSON object a line.
  kCommas,  ///< A table with commas (.csv).
  kTabs,    ///< A table with tabs (.tsv).
};

/// One input of a batch: a file of rows or a folder of files that are one row each.
struct BatchSource {
  std::string path;
  std::string label;  ///< The path's last component: what people call the batch.
  bool is_folder = false;
  RowSyntax syntax = RowSyntax::kLines;
  ColumnTypes types{};           ///< Of a table's columns.
  spool::FileIdentity identity;  ///< Tells whether the file changed after it was checked.
};

/// Resolves `inputs`. "-" copies all of `stdin_fd` into a file of `batches_directory` (created if
/// needed) and syncs it first, so that an interrupted run can be continued from that copy; at most
/// once. `syntax`: of every file; nullopt: each file's name tells. Failures: not_found,
/// permission_denied, invalid_argument (neither file nor folder; Parquet, which is not read).
Result<std::vector<BatchSource>> open_batch_sources(const std::vector<std::string>& inputs,
                                                    const std::string& batches_directory,
                                                    int stdin_fd, std::optional<RowSyntax> syntax);

/// The identity of the file at `path` now.
Result<spool::FileIdentity> identify_file(const std::string& path);

}  // namespace filecall::client
