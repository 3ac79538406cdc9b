// SPDX-License-Identifier: MIT
#include "worker/exec/git/change_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

/// What a comparison hands to libgit2, which calls back for each change.
struct Comparison {
  const OpenRepository& repository;
  const CompareOptions& options;
  const std::atomic<bool>& is_cancelled;
  std::size_t foreign_names = 0;
  std::vector<char*> paths{};
};

/// git_diff_notify_cb: 1 leaves a change out, a negative value ends the comparison.
int decide_change(const git_diff*, const git_diff_delta* delta, const char*, void* payload) {
  auto& comparison = *static_cast<Comparison*>(payload);
  if (comparison.is_cancelled) return GIT_EUSER;
  const std::string_view path = delta->new_file.path;
  if (!is_valid_utf8(path)) {
    ++comparison.foreign_names;
    return 1;
  }
  return !comparison.options.takes_hidden && comparison.repository.hidden.hides(path) ? 1 : 0;
}

ChangeKind kind_of(git_delta_t status) {
  switch (status) {
    case GIT_DELTA_ADDED:
      return ChangeKind::kAdded;
    case GIT_DELTA_DELETED:
      return ChangeKind::kDeleted;
    case GIT_DELTA_RENAMED:
      return ChangeKind::kRenamed;
    case GIT_DELTA_TYPECHANGE:
      return ChangeKind::kTypeChanged;
    case GIT_DELTA_UNTRACKED:
      return ChangeKind::kUntracked;
    case GIT_DELTA_CONFLICTED:
      return ChangeKind::kConflicted;
    case GIT_DELTA_UNREADABLE:
      return ChangeKind::kUnreadable;
    default:
      return ChangeKind::kModified;
  }
}

FileSide side_of(const git_diff_file& file) {
  FileSide side;
  side.path = file.path == nullptr ? "" : file.path;
  side.mode = file.mode;
  if ((file.flags & GIT_DIFF_FLAG_VALID_ID) != 0) side.id = file.id;
  return side;
}

git_diff_options options_of(Comparison& comparison) {
  git_diff_options options;
  ::git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_DISABLE_PATHSPEC_MATCH;
  if (comparison.options.takes_untracked) {
    options.flags |=
        GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS | GIT_DIFF_INCLUDE_UNREADABLE;
  }
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.notify_cb = decide_change;
  options.payload = &comparison;
  for (const std::string& path : comparison.options.paths) {
    comparison.paths.push_back(const_cast<char*>(path.c_str()));
  }
  options.pathspec = {comparison.paths.data(), comparison.paths.size()};
  return options;
}

Result<ChangeList> list_changes(int status, const DiffHandle& diff, const Comparison& comparison) {
  if (comparison.is_cancelled) return fail(ErrorCode::kCancelled, "the comparison was cancelled");
  if (status < 0) return git_failed(status, "the comparison");
  git_diff_find_options find;
  ::git_diff_find_options_init(&find, GIT_DIFF_FIND_OPTIONS_VERSION);
  find.flags = GIT_DIFF_FIND_RENAMES;
  // Equal contents alone: nothing is read for it.
  if (!comparison.options.follows_changed) find.flags |= GIT_DIFF_FIND_EXACT_MATCH_ONLY;
  if (const int found = ::git_diff_find_similar(diff.get(), &find); found < 0) {
    return git_failed(found, "the comparison");
  }
  ChangeList list;
  list.foreign_names = comparison.foreign_names;
  for (std::size_t i = 0; i < ::git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta* delta = ::git_diff_get_delta(diff.get(), i);
    if (delta->status == GIT_DELTA_UNMODIFIED || delta->status == GIT_DELTA_IGNORED) continue;
    list.changes.push_back(
        {kind_of(delta->status), side_of(delta->old_file), side_of(delta->new_file)});
  }
  std::ranges::sort(list.changes, [](const FileChange& a, const FileChange& b) {
    return std::tie(a.path(), a.kind) < std::tie(b.path(), b.kind);
  });
  return list;
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kAdded:
      return "added";
    case ChangeKind::kDeleted:
      return "deleted";
    case ChangeKind::kModified:
      return "modified";
    case ChangeKind::kRenamed:
      return "renamed";
    case ChangeKind::kTypeChanged:
      return "type_changed";
    case ChangeKind::kUntracked:
      return "untracked";
    case ChangeKind::kConflicted:
      return "conflicted";
    case ChangeKind::kUnreadable:
      return "unreadable";
  }
  return "modified";
}

bool FileChange::is_submodule() const {
  return before.mode == GIT_FILEMODE_COMMIT || after.mode == GIT_FILEMODE_COMMIT;
}

Result<ChangeList> compare_trees(const OpenRepository& repository, git_tree* before,
                                 git_tree* after, const CompareOptions& options,
                                 const std::atomic<bool>& is_cancelled) {
  Comparison comparison{repository, options, is_cancelled};
  const git_diff_options how = options_of(comparison);
  DiffHandle diff;
  const int status = ::git_diff_tree_to_tree(Out(diff), repository.get(), before, after, &how);
  return list_changes(status, diff, comparison);
}

Result<ChangeList> compare_with_index(const OpenRepository& repository, git_tree* before,
                                      const CompareOptions& options,
                                      const std::atomic<bool>& is_cancelled, git_index* index) {
  Comparison comparison{repository, options, is_cancelled};
  const git_diff_options how = options_of(comparison);
  DiffHandle diff;
  const int status = ::git_diff_tree_to_index(Out(diff), repository.get(), before, index, &how);
  return list_changes(status, diff, comparison);
}

Result<ChangeList> compare_with_files(const OpenRepository& repository,
                                      const CompareOptions& options,
                                      const std::atomic<bool>& is_cancelled) {
  Comparison comparison{repository, options, is_cancelled};
  const git_diff_options how = options_of(comparison);
  DiffHandle diff;
  const int status = ::git_diff_index_to_workdir(Out(diff), repository.get(), nullptr, &how);
  return list_changes(status, diff, comparison);
}

}  // namespace filecall::worker::git
