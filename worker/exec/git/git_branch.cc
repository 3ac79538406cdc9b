// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_tree.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/branch_switch.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"

namespace filecall::worker::git {
namespace {

constexpr std::string_view kNamePointer = "/params/name";

Outcome list_branches(const file::FileJob& job) {
  auto repository = open_repository(job, Use::kObjects);
  if (!repository) return file::refused(std::move(repository).error());
  ReferenceNames all;
  int status = ::git_reference_iterator_glob_new(Out(all), repository->get(), "refs/heads/*");
  if (status < 0) return file::refused(git_failed(status, "the branches").error);
  const std::string current = head_branch(*repository);
  std::map<std::string, Json> branches;
  std::size_t left_out = 0;
  std::size_t foreign = 0;
  while (true) {
    ReferenceHandle reference;
    status = ::git_reference_next(Out(reference), all.get());
    if (status < 0 || job.is_cancelled) break;
    const std::string name = ::git_reference_name(reference.get());
    const git_oid* id = ::git_reference_target(reference.get());
    if (!is_valid_utf8(name)) {
      ++foreign;
    } else if (branches.size() == job.rules.config.results) {
      ++left_out;
    } else {
      Json entry = {{"name", short_branch(name)}, {"current", name == current}};
      entry["commit"] = id == nullptr ? Json() : Json(hex(*id));
      if (const auto place = worktree_of(*repository, name)) entry["worktree"] = *place;
      branches[name] = std::move(entry);
    }
  }
  if (status != GIT_ITEROVER && status < 0) {
    return file::refused(git_failed(status, "the branches").error);
  }
  TRY_ASSIGN(const CommitHandle head, head_commit(repository->get()));
  Json out = head_json(*repository, head.get());
  out["left_out"] = left_out;
  out["names_not_utf8"] = foreign;
  out["complete"] = left_out == 0 && foreign == 0;
  Json& list = out["branches"] = Json::array();
  for (auto& [name, entry] : branches) list.push_back(std::move(entry));
  return out;
}

Result<void> check_branch_name(const std::string& name) {
  int is_valid = 0;
  // libgit2 takes DEL, which git does not.
  const bool has_odd = name.find('\0') != name.npos || name.find('\x7f') != name.npos;
  if (!has_odd && name != "HEAD" && ::git_branch_name_is_valid(&is_valid, name.c_str()) == 0 &&
      is_valid != 0) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: '{}' cannot be the name of a branch", kNamePointer, name));
}

/// A worker that was killed while it made the branch of an agent's run has left the lock of its
/// name. The name is the run's alone, so no other program makes that branch.
bool remove_left_lock(const RepositoryLayout& layout, const std::string& name) {
  constexpr std::string_view kOfRuns = "ai-agent/";
  if (!name.starts_with(kOfRuns) || name.find('/', kOfRuns.size()) != name.npos) return false;
  const UniqueFd folder = file::open_without_links(layout.common.fd.get(), "refs/heads/ai-agent",
                                                   O_PATH | O_DIRECTORY | O_NOFOLLOW);
  const std::string lock = name.substr(kOfRuns.size()) + ".lock";
  return folder.is_open() && ::unlinkat(folder.get(), lock.c_str(), 0) == 0;
}

Outcome create_branch(const file::FileJob& job) {
  const std::string name = file::text_param(job.params, "name");
  TRY(check_branch_name(name));
  auto repository = open_repository(job, Use::kChange);
  if (!repository) return file::refused(std::move(repository).error());
  CommitHandle start;
  TRY_ASSIGN(start, find_commit(repository->get(), file::text_param(job.params, "start", "HEAD"),
                                "/params/start"));
  ReferenceHandle made;
  int status = ::git_branch_create(Out(made), repository->get(), name.c_str(), start.get(), 0);
  if (status == GIT_ELOCKED && remove_left_lock(repository->layout, name)) {
    status = ::git_branch_create(Out(made), repository->get(), name.c_str(), start.get(), 0);
  }
  if (status < 0) {
    return file::refused(git_failed(status, fmt::format("{}: '{}'", kNamePointer, name)).error);
  }
  return Json{{"repository", repository->name()},
              {"name", name},
              {"commit", hex(*::git_commit_id(start.get()))}};
}

}  // namespace

Outcome run_branch(const file::FileJob& job) {
  const std::string action = file::text_param(job.params, "action");
  if (action == "create") return create_branch(job);
  if (action == "switch") return switch_branch(job);
  return list_branches(job);
}

}  // namespace filecall::worker::git
