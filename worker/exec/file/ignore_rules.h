// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/file/path_glob.h"

namespace filecall::worker::file {

/// The lines of one .gitignore file (gitignore(5)): comments, "!" that takes back, a "/" at the end
/// for directories alone. A line that is no pattern stands for nothing, as with git. Pure; any
/// thread.
class IgnoreRules {
 public:
  explicit IgnoreRules(std::string_view text);

  /// What its last rule that fits says of a path below the file's directory: ignored or not;
  /// nullopt when none fits.
  std::optional<bool> decide(std::string_view path, bool is_directory) const;
  bool is_empty() const { return rules_.empty(); }
  /// False: there are more rules than are kept.
  bool is_whole() const { return is_whole_; }

 private:
  struct Rule {
    PathGlob glob;
    bool takes_back = false;
    bool is_of_directories = false;
  };
  void add_line(std::string_view line);

  std::vector<Rule> rules_;
  bool is_whole_ = true;
};

}  // namespace filecall::worker::file
