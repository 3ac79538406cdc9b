// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/exec/git/change_list.h"

namespace filecall::worker::git {

/// One side of a merge: what it changed since the base, with files that were renamed, and whether
/// it still has a directory.
struct MergeSide {
  const ChangeList& changes;
  std::function<bool(const std::string&)> has_directory;
};

/// Files that one side puts below a directory whose files the other side has moved elsewhere. git
/// cannot know where they belong: it moves them along and calls that a conflict, "file location"
/// (git-merge(1), merge.directoryRenames). libgit2 leaves them where they are. Sorted, each once.
/// Pure.
std::vector<std::string> files_of_moved_directories(const MergeSide& ours, const MergeSide& theirs);

}  // namespace filecall::worker::git
