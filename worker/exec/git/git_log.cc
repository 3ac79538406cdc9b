// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "base/utf8.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/history.h"
#include "worker/exec/git/revision.h"

namespace filecall::worker::git {
namespace {

/// Of one commit's message, so that one does not take the room of all.
constexpr std::size_t kMessageBytes = 64 * 1024;

std::string text_or_empty(const char* text) { return text == nullptr ? "" : sanitize_utf8(text); }

/// Adds a commit; false: there is no room for its message.
bool add_commit(const git_commit* commit, std::size_t& room, Json& commits) {
  std::string message = text_or_empty(::git_commit_message(commit));
  const bool is_cut = message.size() > std::min(room, kMessageBytes);
  if (is_cut) {
    message.resize(std::min(room, kMessageBytes));
    message.resize(message.size() - unfinished_utf8_end(message));
  }
  room -= message.size();
  Json parents = Json::array();
  for (unsigned i = 0; i < ::git_commit_parentcount(commit); ++i) {
    parents.push_back(hex(*::git_commit_parent_id(commit, i)));
  }
  Json entry = {{"id", hex(*::git_commit_id(commit))},
                {"parents", std::move(parents)},
                {"author", signature_json(::git_commit_author(commit))},
                {"committer", signature_json(::git_commit_committer(commit))},
                {"message", std::move(message)}};
  if (is_cut) entry["cut"] = true;
  commits.push_back(std::move(entry));
  return !is_cut;
}

}  // namespace

Outcome run_log(const file::FileJob& job) {
  auto repository = open_repository(job, Use::kObjects);
  if (!repository) return file::refused(std::move(repository).error());
  std::string path;
  if (job.params.contains("path")) {
    TRY_ASSIGN(const auto paths, checked_paths(*repository, {file::text_param(job.params, "path")},
                                               file::kPathPointer));
    if (!paths.empty()) path = paths.front();
  }
  CommitHandle from;
  if (job.params.contains("from")) {
    TRY_ASSIGN(
        from, find_commit(repository->get(), file::text_param(job.params, "from"), "/params/from"));
  } else {
    TRY_ASSIGN(from, head_commit(repository->get()));
  }
  const std::size_t max = file::count_param(job.params, "max", job.rules.config.results);
  TRY_ASSIGN(const History history,
             read_history(repository->get(), std::move(from), path, max, job.is_cancelled));
  Json commits = Json::array();
  std::size_t room = job.rules.config.read_bytes;
  bool are_whole = true;
  for (const CommitHandle& commit : history.commits) {
    are_whole = add_commit(commit.get(), room, commits) && are_whole;
  }
  Json out = {{"repository", repository->name()}, {"looked_at", history.looked_at}};
  out["shallow"] = history.is_shallow;
  out["complete"] = history.is_complete && are_whole;
  out["commits"] = std::move(commits);
  return out;
}

}  // namespace filecall::worker::git
