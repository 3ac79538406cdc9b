// SPDX-License-Identifier: MIT
#include "worker/exec/git/worktree_remove.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/remove_tree.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/submodules.h"
#include "worker/exec/git/worktree_notes.h"

namespace filecall::worker::git {
namespace {

constexpr std::size_t kUnsavedPaths = 20;

Unexpected<Error> refuse_path(ErrorCode code, const std::string& path, std::string_view why) {
  return fail(code, fmt::format("{}: '{}' {}", file::kPathPointer, path, why));
}

/// A place as a request names it, from "/" on, whether something is there or not.
std::string written_place(const file::FileRules& rules, const file::FilePlace& place) {
  std::filesystem::path whole(rules.config.roots[place.root]);
  whole /= place.below;
  std::string text = whole.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// The linked worktree that lies there, or lay there before somebody removed its directory.
Result<KnownWorktree> find_worktree_at(const OpenRepository& repository, const file::FileJob& job,
                                       const std::string& path) {
  TRY_ASSIGN(const auto place, file::choose_place(job.rules.config, path, file::kPathPointer));
  const auto opened = file::open_place(job.rules, place, O_PATH | O_DIRECTORY, file::kPathPointer);
  if (!opened && opened.error().code != ErrorCode::kNotFound) return Unexpected(opened.error());
  const std::string whole = opened ? opened->whole() : written_place(job.rules, place);
  const auto found = std::ranges::find_if(repository.worktrees, [&](const KnownWorktree& worktree) {
    if (!opened) return worktree.gone == whole;
    return worktree.place && worktree.place->whole() == whole;
  });
  if (!opened && found == repository.worktrees.end()) return Unexpected(opened.error());
  if (found == repository.worktrees.end()) {
    return refuse_path(ErrorCode::kNotFound, path, "is no worktree of the repository");
  }
  if (found->name.empty()) {
    return refuse_path(ErrorCode::kFailedPrecondition, path, "is the main worktree");
  }
  if (found->is_locked) {
    return refuse_path(ErrorCode::kFailedPrecondition, path,
                       "is locked; unlock it with git (git worktree unlock)");
  }
  return *found;
}

/// What is in no commit.
Result<std::set<std::string>> unsaved_paths(const OpenRepository& worktree,
                                            const std::atomic<bool>& is_cancelled) {
  CompareOptions options;
  options.takes_hidden = true;
  TRY_ASSIGN(const CommitHandle head, head_commit(worktree.get()));
  TRY_ASSIGN(const TreeHandle tree, tree_of(head.get()));
  TRY_ASSIGN(const ChangeList staged,
             compare_with_index(worktree, tree.get(), options, is_cancelled));
  options.takes_untracked = true;
  TRY_ASSIGN(const ChangeList unstaged, compare_with_files(worktree, options, is_cancelled));
  std::set<std::string> paths;
  for (const ChangeList* list : {&staged, &unstaged}) {
    for (const FileChange& change : list->changes) paths.insert(change.path());
    // A name that is not UTF-8 is no path of an answer.
    if (list->foreign_names > 0) paths.insert("");
  }
  TRY_ASSIGN(auto submodules, checked_out_submodules(worktree, {}, true));
  paths.insert(submodules.begin(), submodules.end());
  return paths;
}

Result<void, Failure> check_is_saved(const file::FileJob& job, const KnownWorktree& known,
                                     const std::string& path) {
  const Json params = {{"repository", path}};
  TRY_ASSIGN(const OpenRepository worktree,
             open_repository({params, job.rules, job.all_rules, job.is_cancelled, job.request_id,
                              job.changes_folder},
                             Use::kWorktree));
  if (worktree.layout.directory.whole() != known.notes) {
    return refuse_path(ErrorCode::kFailedPrecondition, path,
                       "belongs to another repository by now: its .git leads there");
  }
  if (job.params.value("force", false)) return {};
  TRY_ASSIGN(const auto unsaved, unsaved_paths(worktree, job.is_cancelled));
  if (unsaved.empty()) return {};
  Json paths = Json::array();
  for (const std::string& unsaved_path : unsaved) {
    const bool is_shown = !unsaved_path.empty() && !worktree.hidden.hides(unsaved_path);
    if (is_shown && paths.size() < kUnsavedPaths) paths.push_back(unsaved_path);
  }
  Failure failure = Failure::of(
      {ErrorCode::kFailedPrecondition,
       fmt::format(
           "{}: '{}' has {} with changes that are in no commit: nothing was removed; commit "
           "them, or say 'force'",
           file::kPathPointer, path, unsaved.size() == 1 ? "a file" : "files")});
  failure.details = Json{{"left_out", unsaved.size() - paths.size()}, {"paths", std::move(paths)}};
  return Unexpected(std::move(failure));
}

}  // namespace

Outcome remove_worktree(const file::FileJob& job) {
  const std::string path = file::text_param(job.params, "path");
  TRY_ASSIGN(const OpenRepository repository, open_repository(job, Use::kChange));
  TRY_ASSIGN(const KnownWorktree known, find_worktree_at(repository, job, path));
  std::string answered = path;
  if (known.place) {
    answered = file::name_of(job.rules, known.place->root, known.place->path);
    TRY_ASSIGN(const file::ChangePlace place,
               file::open_for_change(job.rules, answered, file::kPathPointer));
    TRY(check_is_saved(job, known, answered));
    TRY(remove_tree(place.directory.fd.get(), place.name));
  }
  TRY(remove_worktree_notes(repository, known.name));
  Json out = {{"repository", repository.name()}, {"path", answered}};
  out["branch"] = known.branch.empty() ? Json() : Json(known.branch.substr(sizeof "refs/heads"));
  return out;
}

}  // namespace filecall::worker::git
