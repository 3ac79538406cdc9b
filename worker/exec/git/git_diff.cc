// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/diff_answer.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/known_paths.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/submodules.h"

namespace filecall::worker::git {
namespace {

/// What is compared, found and not yet shown.
struct DiffRequest {
  OpenRepository repository;
  CommitHandle from;
  CommitHandle to;
  CompareOptions options;
  bool is_staged = false;
};

Result<DiffRequest> open_request(const file::FileJob& job) {
  const bool has_commits = job.params.contains("from");
  const bool is_staged = job.params.value("staged", false);
  if (has_commits && job.params.contains("staged")) {
    return fail(ErrorCode::kInvalidArgument,
                "/params: either 'staged', or 'from' and 'to'; both compare something else");
  }
  TRY_ASSIGN(OpenRepository repository,
             open_repository(job, has_commits || is_staged ? Use::kObjects : Use::kWorktree));
  DiffRequest request{std::move(repository), nullptr, nullptr, {}, is_staged};
  TRY_ASSIGN(request.options.paths, paths_param(request.repository, job.params));
  git_repository* handle = request.repository.get();
  if (has_commits) {
    TRY_ASSIGN(request.from,
               find_commit(handle, file::text_param(job.params, "from"), "/params/from"));
    TRY_ASSIGN(request.to, find_commit(handle, file::text_param(job.params, "to"), "/params/to"));
  } else if (is_staged) {
    TRY_ASSIGN(request.from, head_commit(handle));
  }
  return request;
}

Result<ChangeList> compare(const DiffRequest& request, const std::atomic<bool>& is_cancelled) {
  TRY_ASSIGN(const TreeHandle from, tree_of(request.from.get()));
  TRY_ASSIGN(const TreeHandle to, tree_of(request.to.get()));
  PathSources sources{{from.get(), to.get()}};
  IndexHandle index;
  if (!request.to) {
    const int status = ::git_repository_index(Out(index), request.repository.get());
    if (status < 0) return git_failed(status, "the index");
    sources.index = index.get();
    sources.has_files = !request.is_staged;
  }
  TRY(check_known_paths(request.repository, request.options.paths, sources));
  if (request.to) {
    return compare_trees(request.repository, from.get(), to.get(), request.options, is_cancelled);
  }
  if (request.is_staged) {
    return compare_with_index(request.repository, from.get(), request.options, is_cancelled);
  }
  return compare_with_files(request.repository, request.options, is_cancelled);
}

}  // namespace

Outcome run_diff(const file::FileJob& job) {
  auto request = open_request(job);
  if (!request) return file::refused(std::move(request).error());
  TRY_ASSIGN(const ChangeList list, compare(*request, job.is_cancelled));
  const bool shows_files = !request->to && !request->is_staged;
  DiffAnswer answer(request->repository, shows_files ? AfterSide::kFiles : AfterSide::kObjects);
  for (const FileChange& change : list.changes) {
    if (job.is_cancelled) break;
    TRY(answer.add(change));
  }
  Json out = {{"repository", request->repository.name()}};
  if (request->from) out["from"] = hex(*::git_commit_id(request->from.get()));
  if (request->to) out["to"] = hex(*::git_commit_id(request->to.get()));
  out["names_not_utf8"] = list.foreign_names;
  answer.finish(out, list.foreign_names == 0);
  if (shows_files) {
    TRY(add_unchecked_submodules(request->repository, request->options.paths, out));
  }
  return out;
}

}  // namespace filecall::worker::git
