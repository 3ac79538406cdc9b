// SPDX-License-Identifier: MIT
#pragma once

#include <git2/oid.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {

/// How a file differs between two sides.
enum class ChangeKind : std::uint8_t {
  kAdded,
  kDeleted,
  kModified,
  kRenamed,
  kTypeChanged,
  kUntracked,
  kConflicted,
  kUnreadable,
};
/// "added", "deleted", "modified", "renamed", "type_changed", "untracked", "conflicted",
/// "unreadable".
std::string_view to_string(ChangeKind kind);

/// One side of a change.
struct FileSide {
  std::string path;
  git_oid id{};  ///< Of nothing: it is not known (a file that was not read), or not there.
  std::uint16_t mode = 0;  ///< As git has it (0100644); 0: not there.
};

struct FileChange {
  ChangeKind kind = ChangeKind::kModified;
  FileSide before;
  FileSide after;

  /// The name after the change, or the one that is gone.
  const std::string& path() const {
    return kind == ChangeKind::kDeleted ? before.path : after.path;
  }
  bool is_submodule() const;
};

/// Changes in the order of their paths' bytes. What is hidden is not there.
struct ChangeList {
  std::vector<FileChange> changes;
  std::size_t foreign_names = 0;  ///< Changes of files whose names are not UTF-8.
};

/// What to compare, and how.
struct CompareOptions {
  std::vector<std::string> paths;  ///< Empty: all. Else these files and what lies below them.
  bool takes_untracked = false;
  bool takes_hidden = false;  ///< For decisions alone, never for answers.
  /// A file that was renamed and changed is one change, too: contents are read for it.
  bool follows_changed = false;
};

/// Files are compared by their content and mode. A file that was renamed without another change is
/// one change. A null tree is an empty one. Submodules are compared by their commits; nobody looks
/// into their files. The index is the repository's, unless one is given; it is not rewritten.
/// Failure: cancelled, and what libgit2 says.
Result<ChangeList> compare_trees(const OpenRepository& repository, git_tree* before,
                                 git_tree* after, const CompareOptions& options,
                                 const std::atomic<bool>& is_cancelled);
Result<ChangeList> compare_with_index(const OpenRepository& repository, git_tree* before,
                                      const CompareOptions& options,
                                      const std::atomic<bool>& is_cancelled,
                                      git_index* index = nullptr);
Result<ChangeList> compare_with_files(const OpenRepository& repository,
                                      const CompareOptions& options,
                                      const std::atomic<bool>& is_cancelled);

}  // namespace filecall::worker::git
