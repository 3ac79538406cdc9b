// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <string>

#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/submodules.h"

namespace filecall::worker::git {
namespace {

/// What status says of one path.
struct StatusEntry {
  std::string staged;    ///< HEAD compared with the index; empty: equal.
  std::string unstaged;  ///< The index compared with the file.
  std::string old_path;  ///< The name in HEAD, of a file that was renamed in the index.
};

Json entry_json(const std::string& path, const StatusEntry& entry) {
  Json out = {{"path", path}};
  if (!entry.staged.empty()) out["staged"] = entry.staged;
  if (!entry.unstaged.empty()) out["unstaged"] = entry.unstaged;
  if (!entry.old_path.empty()) out["old_path"] = entry.old_path;
  return out;
}

std::string_view state_name(git_repository* repository) {
  switch (::git_repository_state(repository)) {
    case GIT_REPOSITORY_STATE_NONE:
      return "none";
    case GIT_REPOSITORY_STATE_MERGE:
      return "merge";
    case GIT_REPOSITORY_STATE_REVERT:
    case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
      return "revert";
    case GIT_REPOSITORY_STATE_CHERRYPICK:
    case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
      return "cherry_pick";
    case GIT_REPOSITORY_STATE_BISECT:
      return "bisect";
    case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
      return "apply_mailbox";
    default:
      return "rebase";
  }
}

std::map<std::string, StatusEntry> merge_lists(const ChangeList& staged,
                                               const ChangeList& unstaged) {
  std::map<std::string, StatusEntry> entries;
  for (const FileChange& change : staged.changes) {
    StatusEntry& entry = entries[change.path()];
    entry.staged = to_string(change.kind);
    if (change.kind == ChangeKind::kRenamed) entry.old_path = change.before.path;
  }
  for (const FileChange& change : unstaged.changes) {
    entries[change.path()].unstaged = to_string(change.kind);
  }
  return entries;
}

}  // namespace

Outcome run_status(const file::FileJob& job) {
  auto repository = open_repository(job, Use::kWorktree);
  if (!repository) return file::refused(std::move(repository).error());
  CompareOptions options;
  TRY_ASSIGN(options.paths, paths_param(*repository, job.params));
  TRY_ASSIGN(const CommitHandle head, head_commit(repository->get()));
  TRY_ASSIGN(const TreeHandle tree, tree_of(head.get()));
  TRY_ASSIGN(const ChangeList staged,
             compare_with_index(*repository, tree.get(), options, job.is_cancelled));
  options.takes_untracked = job.params.value("untracked", true);
  TRY_ASSIGN(const ChangeList unstaged, compare_with_files(*repository, options, job.is_cancelled));
  const auto all = merge_lists(staged, unstaged);
  const std::size_t max = file::count_param(job.params, "max", job.rules.config.results);
  Json entries = Json::array();
  for (const auto& [path, entry] : all) {
    if (entries.size() == max) break;
    entries.push_back(entry_json(path, entry));
  }
  const std::size_t foreign = std::max(staged.foreign_names, unstaged.foreign_names);
  Json out = head_json(*repository, head.get());
  out["state"] = state_name(repository->get());
  out["left_out"] = all.size() - entries.size();
  out["names_not_utf8"] = foreign;
  out["complete"] = all.size() == entries.size() && foreign == 0;
  out["entries"] = std::move(entries);
  TRY(add_unchecked_submodules(*repository, options.paths, out));
  return out;
}

}  // namespace filecall::worker::git
