// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {

/// A folder in which a tool has made a bare repository.
struct BareRepository {
  std::string folder;
  std::string head;  ///< What its HEAD is called now; "": it could not be renamed.
};

/// Folders that must not become bare repositories: git takes one for a repository as soon as it has
/// HEAD, objects and refs, and its settings start programs. The tool may have made any of them for
/// another end, so nothing is removed: HEAD gets another name, and git sees no repository.
class BareRepositories {
 public:
  /// Watches a folder unless it is a repository already.
  void watch(const Fd& folder, const std::string& path);

  /// Renames HEAD in those that have become one. The tool has ended.
  std::vector<BareRepository> set_aside() const;

 private:
  struct Watched {
    Fd folder;
    std::string path;
  };
  std::vector<Watched> watched_;
};

/// As git judges a directory without a `.git` (is_git_directory()), or a little more: what HEAD
/// says is not looked at.
bool is_bare_repository(const Fd& folder);

}  // namespace filecall::worker::guard
