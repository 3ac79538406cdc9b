// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/promptfoo/config_node.h"
#include "ipc/json.h"

namespace filecall::client {

/// A row of a table: an object of texts, and its line.
struct ForeignRow {
  Json cells;
  std::int64_t line = 0;
};

/// How an import reads the files that a configuration names; paths are relative to it.
class ImportFiles {
 public:
  virtual ~ImportFiles() = default;
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<std::vector<ForeignRow>> read_table(const std::string& path) = 0;
  /// What fits a pattern with *, in order; the path itself when it has none.
  virtual Result<std::vector<std::string>> list(const std::string& pattern) = 0;
};

/// "file://a/b.txt" is "a/b.txt"; anything else empty. Pure, as the next.
std::string path_of_url(const std::string& text);
/// "x.js:function" is a program, whatever the function.
bool is_program_path(std::string path);
/// Reads YAML or JSON. Failures: the file's; invalid_argument, a program, or neither.
Result<ConfigNode> read_config(ImportFiles& files, const std::string& path);

/// Why something is not taken.
Unexpected<Error> refused(std::string why);

}  // namespace filecall::client
