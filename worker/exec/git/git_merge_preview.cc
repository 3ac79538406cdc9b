// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/merge_conflicts.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/trial_merge.h"

namespace filecall::worker::git {
namespace {

Json changes_json(const ChangeList& list, std::size_t max, std::size_t& left_out) {
  Json out = Json::array();
  for (const FileChange& change : list.changes) {
    if (out.size() == max) {
      ++left_out;
      continue;
    }
    Json entry = {{"path", change.path()}, {"status", to_string(change.kind)}};
    if (change.kind == ChangeKind::kRenamed) entry["old_path"] = change.before.path;
    out.push_back(std::move(entry));
  }
  return out;
}

/// Conflicts that git has and libgit2 does not know.
void add_misplaced(const OpenRepository& repository, const std::vector<std::string>& paths,
                   std::size_t max, MergeConflicts& conflicts, std::size_t& left_out) {
  for (const std::string& path : paths) {
    ++conflicts.count;
    if (repository.hidden.hides(path) || !is_valid_utf8(path) || conflicts.list.size() >= max) {
      ++left_out;
      continue;
    }
    conflicts.list.push_back({{"path", path}, {"kind", "directory_moved"}});
  }
}

}  // namespace

Outcome run_merge_preview(const file::FileJob& job) {
  TRY_ASSIGN(const OpenRepository repository, open_repository(job, Use::kObjects));
  TRY_ASSIGN(
      const CommitHandle ours,
      find_commit(repository.get(), file::text_param(job.params, "ours", "HEAD"), "/params/ours"));
  TRY_ASSIGN(
      const CommitHandle theirs,
      find_commit(repository.get(), file::text_param(job.params, "theirs"), "/params/theirs"));
  TRY_ASSIGN(const TrialMerge merge,
             try_merge(repository, ours.get(), theirs.get(), job.is_cancelled));
  TRY_ASSIGN(const TreeHandle tree, tree_of(ours.get()));
  TRY_ASSIGN(const ChangeList changes,
             compare_with_index(repository, tree.get(), {}, job.is_cancelled, merge.index.get()));
  TRY_ASSIGN(MergeConflicts conflicts, describe_conflicts(repository, merge.index.get()));
  std::size_t left_out = conflicts.left_out;
  Json out = {{"repository", repository.name()},
              {"ours", hex(*::git_commit_id(ours.get()))},
              {"theirs", hex(*::git_commit_id(theirs.get()))},
              {"base", hex(merge.base)},
              {"renames_followed", merge.follows_renames}};
  add_misplaced(repository, merge.misplaced, job.rules.config.results, conflicts, left_out);
  out["result"] = conflicts.count > 0 ? "conflicts" : merge.result;
  out["changes"] = changes_json(changes, job.rules.config.results, left_out);
  out["conflicts"] = std::move(conflicts.list);
  out["names_not_utf8"] = changes.foreign_names;
  out["left_out"] = left_out;
  out["complete"] = left_out == 0 && !conflicts.is_cut && changes.foreign_names == 0;
  return out;
}

}  // namespace filecall::worker::git
