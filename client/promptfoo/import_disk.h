// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "client/promptfoo/import_files.h"

namespace filecall::client {

/// The files beside a configuration on disk.
class DiskImportFiles final : public ImportFiles {
 public:
  /// `folder`: of the configuration; empty: the current one.
  explicit DiskImportFiles(std::string folder) : folder_(std::move(folder)) {}
  Result<std::string> read(const std::string& path) override;
  Result<std::vector<ForeignRow>> read_table(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& pattern) override;

 private:
  std::string full(const std::string& path) const;
  std::string folder_;
};

/// Writes the files of an import into a directory of their own; `.sh` can be run. Failures: the
/// directory has something in it (already_exists), the files'.
Result<void> write_imported(const std::string& folder,
                            const std::map<std::string, std::string>& files);

}  // namespace filecall::client
