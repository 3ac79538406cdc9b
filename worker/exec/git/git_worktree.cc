// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "base/utf8.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/worktree_add.h"
#include "worker/exec/git/worktree_remove.h"

namespace filecall::worker::git {
namespace {

Json worktree_json(const OpenRepository& repository, const KnownWorktree& worktree) {
  Json out = {{"main", worktree.name.empty()}, {"locked", worktree.is_locked}};
  out["branch"] = worktree.branch.empty() ? Json() : Json(short_branch(worktree.branch));
  if (worktree.place) {
    out["path"] = file::name_of(*repository.rules, worktree.place->root, worktree.place->path);
    out["directory"] = worktree.place->whole();
  } else {
    out["problem"] = "it is gone, or lies where file.roots does not reach";
  }
  git_oid id{};
  const bool is_commit =
      worktree.branch.empty()
          ? ::git_oid_fromstr(&id, worktree.commit.c_str()) == 0
          : ::git_reference_name_to_id(&id, repository.get(), worktree.branch.c_str()) == 0;
  out["commit"] = is_commit ? Json(hex(id)) : Json();
  return out;
}

Outcome list_known(const file::FileJob& job) {
  TRY_ASSIGN(const OpenRepository repository, open_repository(job, Use::kObjects));
  Json worktrees = Json::array();
  for (const KnownWorktree& worktree : repository.worktrees) {
    if (worktrees.size() == job.rules.config.results) break;
    worktrees.push_back(worktree_json(repository, worktree));
  }
  const std::size_t left_out = repository.worktrees.size() - worktrees.size();
  return Json{{"repository", repository.name()},
              {"left_out", left_out},
              {"complete", left_out == 0},
              {"worktrees", std::move(worktrees)}};
}

}  // namespace

Outcome run_worktree(const file::FileJob& job) {
  const std::string action = file::text_param(job.params, "action");
  if (action == "add") return add_worktree(job);
  if (action == "remove") return remove_worktree(job);
  return list_known(job);
}

}  // namespace filecall::worker::git
