// SPDX-License-Identifier: MIT
#include "worker/exec/git/trial_merge.h"

#include <fmt/core.h>
#include <git2/sys/mempack.h>

#include <set>
#include <string>
#include <utility>

#include "worker/exec/git/git_library.h"
#include "worker/exec/git/moved_directories.h"
#include "worker/exec/git/revision.h"

namespace filecall::worker::git {
namespace {

/// Before what is on the disk: it takes all that is written.
constexpr int kFirst = 1000;

Result<void> keep_in_memory(const OpenRepository& repository) {
  OdbHandle objects;
  int status = ::git_repository_odb(Out(objects), repository.get());
  if (status < 0) return git_failed(status, "the repository's objects");
  git_odb_backend* memory = nullptr;
  status = ::git_mempack_new(&memory);
  if (status == 0) status = ::git_odb_add_backend(objects.get(), memory, kFirst);
  if (status < 0) return git_failed(status, "the repository's objects");
  return {};
}

class SizeCheck {
 public:
  explicit SizeCheck(const OpenRepository& repository) : repository_(repository) {}

  Result<bool> is_large(const FileSide& side) const {
    if (side.mode == 0 || side.mode == GIT_FILEMODE_COMMIT || is_no_object(side.id)) return false;
    OdbHandle objects;
    int status = ::git_repository_odb(Out(objects), repository_.get());
    if (status < 0) return git_failed(status, "the repository's objects");
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    status = ::git_odb_read_header(&size, &type, objects.get(), &side.id);
    if (status < 0) return git_failed(status, fmt::format("object {}", hex(side.id)));
    return size > repository_.rules->config.file_bytes;
  }

 private:
  const OpenRepository& repository_;
};

/// Whether the contents that a merge would read are small enough; sets `follows_renames`.
Result<void> check_sizes(const OpenRepository& repository, const ChangeList& ours,
                         const ChangeList& theirs, bool& follows_renames) {
  const SizeCheck check(repository);
  std::set<std::string> large;
  for (const FileChange& change : ours.changes) {
    TRY_ASSIGN(const bool before, check.is_large(change.before));
    TRY_ASSIGN(const bool after, check.is_large(change.after));
    if (before || after) large.insert(change.path());
  }
  std::set<std::string> changed;
  for (const FileChange& change : ours.changes) changed.insert(change.path());
  for (const FileChange& change : theirs.changes) {
    TRY_ASSIGN(const bool before, check.is_large(change.before));
    TRY_ASSIGN(const bool after, check.is_large(change.after));
    const std::string& path = change.path();
    if ((!before && !after && !large.contains(path)) || !changed.contains(path)) {
      follows_renames = follows_renames && !before && !after;
      continue;
    }
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("/params/theirs: both sides change '{}', which is larger than {} bytes "
                            "(file.limits.file_bytes)",
                            repository.hidden.hides(path) ? "a file that is not shown" : path,
                            repository.rules->config.file_bytes));
  }
  follows_renames = follows_renames && large.empty();
  return {};
}

Result<git_oid> base_of(const OpenRepository& repository, const git_commit* ours,
                        const git_commit* theirs) {
  git_oid base;
  const int status =
      ::git_merge_base(&base, repository.get(), ::git_commit_id(ours), ::git_commit_id(theirs));
  if (status == GIT_ENOTFOUND) {
    return fail(ErrorCode::kFailedPrecondition,
                "/params/theirs: it has no commit in common with 'ours', and git merges no such "
                "histories");
  }
  if (status < 0) return git_failed(status, "the common ancestor");
  return base;
}

/// What each side moved, with files that it changed on the way when these may be read.
Result<std::vector<std::string>> misplaced_files(const OpenRepository& repository, git_tree* base,
                                                 git_tree* ours, git_tree* theirs,
                                                 bool follows_renames,
                                                 const std::atomic<bool>& is_cancelled) {
  CompareOptions all;
  all.takes_hidden = true;
  all.follows_changed = follows_renames;
  TRY_ASSIGN(const ChangeList our_changes,
             compare_trees(repository, base, ours, all, is_cancelled));
  TRY_ASSIGN(const ChangeList their_changes,
             compare_trees(repository, base, theirs, all, is_cancelled));
  const auto looks_in = [](git_tree* tree) {
    return [tree](const std::string& directory) {
      TreeEntryHandle entry;
      return ::git_tree_entry_bypath(Out(entry), tree, directory.c_str()) == 0;
    };
  };
  return files_of_moved_directories({our_changes, looks_in(ours)},
                                    {their_changes, looks_in(theirs)});
}

}  // namespace

Result<TrialMerge> try_merge(const OpenRepository& repository, const git_commit* ours,
                             const git_commit* theirs, const std::atomic<bool>& is_cancelled) {
  TrialMerge merge;
  TRY_ASSIGN(merge.base, base_of(repository, ours, theirs));
  CommitHandle base;
  int status = ::git_commit_lookup(Out(base), repository.get(), &merge.base);
  if (status < 0) return git_failed(status, "the common ancestor");
  const bool is_old = ::git_oid_equal(&merge.base, ::git_commit_id(theirs)) != 0;
  const bool is_ahead = ::git_oid_equal(&merge.base, ::git_commit_id(ours)) != 0;
  merge.result = is_old ? "up_to_date" : is_ahead ? "fast_forward" : "merge";
  CompareOptions all;
  all.takes_hidden = true;
  TRY_ASSIGN(const TreeHandle base_tree, tree_of(base.get()));
  TRY_ASSIGN(const TreeHandle our_tree, tree_of(ours));
  TRY_ASSIGN(const TreeHandle their_tree, tree_of(theirs));
  TRY_ASSIGN(const ChangeList our_changes,
             compare_trees(repository, base_tree.get(), our_tree.get(), all, is_cancelled));
  TRY_ASSIGN(const ChangeList their_changes,
             compare_trees(repository, base_tree.get(), their_tree.get(), all, is_cancelled));
  TRY(check_sizes(repository, our_changes, their_changes, merge.follows_renames));
  if (merge.result == "merge") {
    TRY_ASSIGN(merge.misplaced,
               misplaced_files(repository, base_tree.get(), our_tree.get(), their_tree.get(),
                               merge.follows_renames, is_cancelled));
  }
  TRY(keep_in_memory(repository));
  git_merge_options options;
  ::git_merge_options_init(&options, GIT_MERGE_OPTIONS_VERSION);
  options.flags = merge.follows_renames ? GIT_MERGE_FIND_RENAMES : 0;
  status = ::git_merge_commits(Out(merge.index), repository.get(), ours, theirs, &options);
  if (status < 0) return git_failed(status, "the merge");
  return merge;
}

}  // namespace filecall::worker::git
