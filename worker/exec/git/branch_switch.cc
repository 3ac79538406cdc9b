// SPDX-License-Identifier: MIT
#include "worker/exec/git/branch_switch.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/switch_check.h"

namespace filecall::worker::git {
namespace {

/// Of a switch: what the worktree has now, and what it is to have.
struct Sides {
  CommitHandle before;
  TreeHandle before_tree;
  CommitHandle after;
  TreeHandle after_tree;
};

Result<Sides> read_sides(const OpenRepository& repository, const git_reference* branch) {
  Sides sides;
  TRY_ASSIGN(sides.before, head_commit(repository.get()));
  TRY_ASSIGN(sides.before_tree, tree_of(sides.before.get()));
  TRY_ASSIGN(sides.after,
             find_commit(repository.get(), ::git_reference_name(branch), "/params/name"));
  TRY_ASSIGN(sides.after_tree, tree_of(sides.after.get()));
  return sides;
}

Result<void> check_out(const OpenRepository& repository, const git_tree* tree,
                       const SwitchPlan& plan) {
  if (plan.changed.empty()) return {};
  std::vector<char*> paths;
  for (const std::string& path : plan.changed) paths.push_back(const_cast<char*>(path.c_str()));
  git_checkout_options options;
  ::git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
  options.checkout_strategy =
      GIT_CHECKOUT_SAFE | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH | GIT_CHECKOUT_DONT_OVERWRITE_IGNORED;
  options.paths = {paths.data(), paths.size()};
  const int status =
      ::git_checkout_tree(repository.get(), reinterpret_cast<const git_object*>(tree), &options);
  if (status < 0) return git_failed(status, "the files of the branch");
  return {};
}

Result<void> move_head(const OpenRepository& repository, const std::string& from,
                       const std::string& to) {
  ReferenceHandle head;
  const std::string note =
      fmt::format("checkout: moving from {} to {}", short_branch(from), short_branch(to));
  const int status = ::git_reference_symbolic_create(Out(head), repository.get(), "HEAD",
                                                     to.c_str(), 1, note.c_str());
  if (status < 0) return git_failed(status, "HEAD, after the files were changed");
  return {};
}

/// Commits below `from` that no branch, tag or other reference leads to; at most so many are
/// counted.
Result<std::int64_t> count_left_behind(const OpenRepository& repository, const git_oid& from) {
  constexpr std::int64_t kMax = 1000;
  RevisionWalk walk;
  int status = ::git_revwalk_new(Out(walk), repository.get());
  if (status == 0) status = ::git_revwalk_push(walk.get(), &from);
  if (status == 0) status = ::git_revwalk_hide_glob(walk.get(), "refs/*");
  if (status < 0) return git_failed(status, "the commits of HEAD");
  std::int64_t count = 0;
  git_oid id;
  while (count < kMax && ::git_revwalk_next(&id, walk.get()) == 0) ++count;
  return count;
}

}  // namespace

std::optional<std::string> worktree_of(const OpenRepository& repository,
                                       const std::string& branch) {
  for (const KnownWorktree& worktree : repository.worktrees) {
    if (worktree.branch != branch) continue;
    if (!worktree.place) return "";
    return file::name_of(*repository.rules, worktree.place->root, worktree.place->path);
  }
  return std::nullopt;
}

std::string gone_worktree_of(const OpenRepository& repository, const std::string& branch) {
  for (const KnownWorktree& worktree : repository.worktrees) {
    if (worktree.branch != branch || worktree.gone.empty()) continue;
    const auto place = file::choose_place(repository.rules->config, worktree.gone, "");
    return place ? file::name_of(*repository.rules, place->root, place->below) : std::string();
  }
  return {};
}

Result<ReferenceHandle> find_branch(const OpenRepository& repository, const std::string& name,
                                    std::string_view pointer) {
  ReferenceHandle branch;
  const int status =
      name.find('\0') != name.npos
          ? GIT_EINVALIDSPEC
          : ::git_branch_lookup(Out(branch), repository.get(), name.c_str(), GIT_BRANCH_LOCAL);
  if (status == GIT_ENOTFOUND) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: there is no branch '{}'; git.branch lists and creates them",
                            pointer, name));
  }
  if (status < 0) return git_failed(status, pointer);
  return branch;
}

Outcome switch_branch(const file::FileJob& job) {
  const std::string name = file::text_param(job.params, "name");
  TRY_ASSIGN(const OpenRepository repository, open_repository(job, Use::kChange));
  TRY(check_is_quiet(repository));
  TRY_ASSIGN(const ReferenceHandle branch, find_branch(repository, name, "/params/name"));
  const std::string target = ::git_reference_name(branch.get());
  const std::string current = head_branch(repository);
  TRY_ASSIGN(const Sides sides, read_sides(repository, branch.get()));
  Json out = {{"repository", repository.name()},
              {"name", name},
              {"commit", hex(*::git_commit_id(sides.after.get()))},
              {"changed_files", 0}};
  if (target == current) return out;
  if (const auto place = worktree_of(repository, target)) {
    return file::refused({ErrorCode::kFailedPrecondition,
                          fmt::format("/params/name: '{}' is checked out in another worktree{}",
                                      name, place->empty() ? "" : " ('" + *place + "')")});
  }
  TRY_ASSIGN(const SwitchPlan plan,
             plan_switch(repository, sides.before_tree.get(), sides.after_tree.get(),
                         sides.after.get(), job.is_cancelled));
  const auto held = hold_files(repository, plan);
  TRY(check_switch(repository, plan, job.is_cancelled));
  TRY(check_out(repository, sides.after_tree.get(), plan));
  TRY(move_head(repository, current.empty() ? "a commit" : current, target));
  out["changed_files"] = plan.changed.size();
  if (current.empty() && sides.before) {
    const git_oid& from = *::git_commit_id(sides.before.get());
    const auto count = count_left_behind(repository, from);
    // The switch is made, whatever can be said of what was there.
    if (count && *count > 0) out["left_behind"] = {{"commit", hex(from)}, {"commits", *count}};
  }
  return out;
}

}  // namespace filecall::worker::git
