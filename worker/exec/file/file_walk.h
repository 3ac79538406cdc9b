// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/file/file_tree.h"
#include "worker/exec/file/ignore_rules.h"

namespace filecall::worker::file {

/// What a walk takes.
struct WalkOptions {
  bool uses_gitignore = true;      ///< Leave out what .gitignore files name, and .git itself.
  bool is_recursive = true;        ///< Else the entries of the directory alone.
  bool takes_files_only = false;   ///< Regular files; else directories, links and others, too.
  const PathGlob* glob = nullptr;  ///< Compared with paths below the directory; null: all.
};

struct WalkEntry {
  std::string path;        ///< Below the directory where the walk began.
  unsigned char type = 0;  ///< DT_REG, DT_DIR, DT_LNK ... (readdir(3)).
};

/// What was found, in the order of the paths' bytes, and what nobody saw.
struct WalkResult {
  std::vector<WalkEntry> entries;
  std::size_t unreadable = 0;     ///< Directories that the worker may not read.
  std::size_t foreign_names = 0;  ///< Names that are not UTF-8: JSON cannot say them.
  bool is_cut = false;            ///< There are more entries than one walk looks at.
  std::size_t vanished =
      0;  ///< Directories that were moved, removed or changed in the midst of it.
  std::size_t unread_ignores = 0;  ///< .gitignore files that say more than is read of them.

  bool is_complete() const {
    return unreadable == 0 && foreign_names == 0 && vanished == 0 && !is_cut;
  }
  /// What its counts in an answer do not say, in a sentence; empty: nothing.
  std::string problem() const;
};

/// Walks the directory; links in it are entries and never followed. Hidden names, and what is the
/// worker's own, are not there. Blocks; any thread; ends soon once `is_cancelled`.
WalkResult walk(const FileRules& rules, const OpenPlace& directory, const WalkOptions& options,
                const std::atomic<bool>& is_cancelled);

}  // namespace filecall::worker::file
