// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "worker/exec/file/file_params.h"
#include "worker/exec/git/answer_parts.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/commit_message.h"
#include "worker/exec/git/commit_record.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/staged_tree.h"
#include "worker/exec/git/worktree_changes.h"

namespace filecall::worker::git {
namespace {

/// What a commit is made of, before HEAD moves.
struct Draft {
  OpenRepository repository;
  IndexHandle index;  ///< The user's.
  CommitHandle head;
  TreeHandle head_tree;
  TakenFiles taken;
  git_oid tree{};
  bool has_files = false;  ///< Something is in the commit, or of it.
};

Result<SignatureHandle> author_of(const OpenRepository& repository, const Json& params) {
  const Settings& settings = repository.layout.settings;
  const auto setting = [&settings](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  std::string name = setting("user.name");
  std::string email = setting("user.email");
  if (params.contains("author")) {
    name = params["author"].value("name", "");
    email = params["author"].value("email", "");
  }
  SignatureHandle author;
  if (name.empty() || email.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "/params/author: nobody says whose commit it is: give {name, email}, or set "
                "user.name and user.email in the repository's own configuration");
  }
  const int status = ::git_signature_now(Out(author), name.c_str(), email.c_str());
  if (status < 0) return git_failed(status, "/params/author");
  return author;
}

/// The tree of HEAD with other files in it.
Result<git_oid> tree_with(const OpenRepository& repository, git_tree* head,
                          const TakenFiles& taken) {
  IndexHandle index;
  int status = ::git_index_new(Out(index));
  if (status == 0 && head != nullptr) status = ::git_index_read_tree(index.get(), head);
  if (status < 0) return git_failed(status, "HEAD's files");
  TRY(put_files(index.get(), taken));
  git_oid tree;
  status = ::git_index_write_tree_to(&tree, index.get(), repository.get());
  if (status < 0) return git_failed(status, "the files of the commit");
  return tree;
}

bool is_as_head(const Draft& draft) {
  if (!draft.head_tree) return !draft.has_files;
  return ::git_oid_equal(&draft.tree, ::git_tree_id(draft.head_tree.get())) != 0;
}

/// Why files that were named are in no commit.
std::string why_nothing(const Draft& draft, const std::vector<std::string>& paths) {
  std::string text;
  const auto say = [&text](const std::string& path, std::string_view what) {
    text += fmt::format("{}'{}' {}", text.empty() ? "" : "; ", path, what);
  };
  for (const std::string& path : paths) {
    const git_index_entry* known = ::git_index_get_bypath(draft.index.get(), path.c_str(), 0);
    int is_ignored = 0;
    if (known != nullptr && known->mode == GIT_FILEMODE_COMMIT) {
      say(path, "is a submodule, and nobody looks into it here; commit it with git");
    } else if (std::ranges::find(draft.taken.repositories, path + "/") !=
               draft.taken.repositories.end()) {
      say(path, "is a repository of its own");
    } else if (known == nullptr &&
               ::git_ignore_path_is_ignored(&is_ignored, draft.repository.get(), path.c_str()) ==
                   0 &&
               is_ignored != 0) {
      say(path, "is ignored (.gitignore)");
    }
  }
  return text.empty() ? "these files are as in HEAD" : text;
}

Result<Draft> draft_commit(const file::FileJob& job) {
  TRY_ASSIGN(OpenRepository repository, open_repository(job, Use::kChange));
  TRY(check_is_quiet(repository));
  Draft draft{std::move(repository), nullptr, nullptr, nullptr, {}, {}, false};
  git_repository* handle = draft.repository.get();
  int status = ::git_repository_index(Out(draft.index), handle);
  if (status < 0) return git_failed(status, "the index");
  if (::git_index_has_conflicts(draft.index.get()) != 0) {
    return fail(ErrorCode::kFailedPrecondition,
                "/params/repository: its index has conflicts; settle them first");
  }
  TRY_ASSIGN(draft.head, head_commit(handle));
  TRY_ASSIGN(draft.head_tree, tree_of(draft.head.get()));
  std::vector<std::string> paths;
  if (job.params.contains("paths")) {
    TRY_ASSIGN(paths, paths_param(draft.repository, job.params));
    TRY_ASSIGN(draft.taken, take_files(draft.repository, draft.index.get(), draft.head_tree.get(),
                                       paths, job.is_cancelled));
    TRY_ASSIGN(draft.tree, tree_with(draft.repository, draft.head_tree.get(), draft.taken));
    draft.has_files = !draft.taken.files.empty();
  } else {
    TRY_ASSIGN(const StagedTree staged,
               write_staged_tree(draft.repository, draft.index.get(), draft.head_tree.get()));
    draft.tree = staged.id;
    draft.has_files = !staged.is_empty;
  }
  if (is_as_head(draft)) {
    return fail(ErrorCode::kFailedPrecondition,
                job.params.contains("paths")
                    ? "/params/paths: nothing to commit: " + why_nothing(draft, paths)
                    : "nothing to commit: nothing is staged; name files in 'paths'");
  }
  return draft;
}

/// Puts the files into the user's index. Before HEAD moves: when it does not move after all, they
/// are staged, and nothing is lost.
Result<void> stage(const Draft& draft) {
  if (draft.taken.files.empty()) return {};
  TRY(put_files(draft.index.get(), draft.taken));
  const int status = ::git_index_write(draft.index.get());
  if (status < 0) return git_failed(status, "the index");
  return {};
}

/// The commit; `reference` ("HEAD") goes there, null: none does. The same arguments make the same
/// commit.
Result<git_oid> write_commit(const Draft& draft, const git_signature* author,
                             const std::string& message, const char* reference) {
  git_repository* repository = draft.repository.get();
  std::vector<const git_commit*> parents;
  if (draft.head) parents.push_back(draft.head.get());
  TreeHandle tree;
  int status = ::git_tree_lookup(Out(tree), repository, &draft.tree);
  if (status < 0) return git_failed(status, "the files of the commit");
  git_oid id;
  status = ::git_commit_create(&id, repository, reference, author, author, nullptr, message.c_str(),
                               tree.get(), parents.size(), parents.data());
  if (status < 0) return git_failed(status, "HEAD was not moved; the files are staged");
  return id;
}

/// A move that failed may have come so far that the branch is there.
bool is_head(const Draft& draft, const git_oid& id) {
  git_oid head;
  return ::git_reference_name_to_id(&head, draft.repository.get(), "HEAD") == 0 &&
         ::git_oid_equal(&head, &id) != 0;
}

/// What the answer says of the files, and of what stays staged.
Result<void> describe(const Draft& draft, const std::atomic<bool>& is_cancelled, Json& out) {
  TreeHandle tree;
  const int status = ::git_tree_lookup(Out(tree), draft.repository.get(), &draft.tree);
  if (status < 0) return git_failed(status, "the files of the commit");
  TRY_ASSIGN(const ChangeList made,
             compare_trees(draft.repository, draft.head_tree.get(), tree.get(), {}, is_cancelled));
  TRY_ASSIGN(const ChangeList staged,
             compare_with_index(draft.repository, tree.get(), {}, is_cancelled));
  const std::size_t max = draft.repository.rules->config.results;
  Json files = Json::array();
  for (const FileChange& change : made.changes) {
    if (files.size() == max) break;
    files.push_back({{"path", change.path()}, {"status", to_string(change.kind)}});
  }
  Json still_staged = Json::array();
  for (const FileChange& change : staged.changes) {
    if (still_staged.size() == max) break;
    still_staged.push_back(change.path());
  }
  const std::size_t left_out =
      made.changes.size() + staged.changes.size() - files.size() - still_staged.size();
  out["left_out"] = left_out;
  out["complete"] = left_out == 0 && made.foreign_names + staged.foreign_names == 0;
  out["files"] = std::move(files);
  out["still_staged"] = std::move(still_staged);
  return {};
}

Json answer_of_commit(const Draft& draft, const git_oid& id, const std::string& message,
                      const std::atomic<bool>& is_cancelled) {
  Json out = head_json(draft.repository, draft.head.get());
  out["parent"] = std::move(out["head"]);
  out.erase("head");
  out["commit"] = hex(id);
  out["message"] = message;
  out["not_taken"] = draft.taken.repositories;
  out["files"] = Json::array();
  out["still_staged"] = Json::array();
  out["left_out"] = 0;
  // The commit is made, whatever is said of it.
  if (const auto said = describe(draft, is_cancelled, out); !said) {
    out["complete"] = false;
    out["problem"] = said.error().message;
  }
  return out;
}

}  // namespace

Outcome run_commit(const file::FileJob& job) {
  TRY_ASSIGN(const std::string message, commit_message(file::text_param(job.params, "message"),
                                                       job.params.value("trailers", Json())));
  TRY_ASSIGN(const Draft draft, draft_commit(job));
  TRY_ASSIGN(const SignatureHandle author, author_of(draft.repository, job.params));
  if (job.is_cancelled) return file::refused({ErrorCode::kCancelled, "git.commit was cancelled"});
  TRY(stage(draft));
  ::git_repository_set_ident(draft.repository.get(), author->name, author->email);
  TRY_ASSIGN(const git_oid id, write_commit(draft, author.get(), message, nullptr));
  const Json out = answer_of_commit(draft, id, message, job.is_cancelled);
  TRY_ASSIGN(CommitRecord record, CommitRecord::begin(job, draft.repository, id, out));
  const auto moved = write_commit(draft, author.get(), message, "HEAD");
  const bool is_made = moved || is_head(draft, id);
  record.end(is_made);
  if (!is_made) return file::refused(moved.error());
  return out;
}

}  // namespace filecall::worker::git
