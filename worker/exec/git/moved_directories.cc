// SPDX-License-Identifier: MIT
#include "worker/exec/git/moved_directories.h"

#include <set>
#include <string_view>

namespace filecall::worker::git {
namespace {

/// Visits the directories that a path lies in, the nearest one first.
template <typename Visit>
void each_directory_of(std::string_view path, const Visit& visit) {
  for (std::size_t end = path.rfind('/'); end != std::string_view::npos; end = path.rfind('/')) {
    path = path.substr(0, end);
    visit(std::string(path));
  }
}

bool lies_in(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

/// Directories that are gone, and of which a file is elsewhere now.
std::set<std::string> moved_by(const MergeSide& side) {
  std::set<std::string> moved;
  for (const FileChange& change : side.changes.changes) {
    if (change.kind != ChangeKind::kRenamed) continue;
    each_directory_of(change.before.path, [&](const std::string& directory) {
      if (lies_in(change.after.path, directory) || moved.contains(directory)) return;
      if (!side.has_directory(directory)) moved.insert(directory);
    });
  }
  return moved;
}

void add_files_below(const std::set<std::string>& directories, const ChangeList& changes,
                     std::set<std::string>& out) {
  if (directories.empty()) return;
  for (const FileChange& change : changes.changes) {
    const bool is_put = change.kind == ChangeKind::kAdded || change.kind == ChangeKind::kRenamed;
    if (!is_put) continue;
    each_directory_of(change.after.path, [&](const std::string& directory) {
      const bool was_there =
          change.kind == ChangeKind::kRenamed && lies_in(change.before.path, directory);
      if (!was_there && directories.contains(directory)) out.insert(change.after.path);
    });
  }
}

}  // namespace

std::vector<std::string> files_of_moved_directories(const MergeSide& ours,
                                                    const MergeSide& theirs) {
  std::set<std::string> files;
  add_files_below(moved_by(ours), theirs.changes, files);
  add_files_below(moved_by(theirs), ours.changes, files);
  return {files.begin(), files.end()};
}

}  // namespace filecall::worker::git
