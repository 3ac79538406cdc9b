// SPDX-License-Identifier: MIT
#include "worker/exec/git/worktree_changes.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <set>
#include <utility>

#include "worker/exec/git/git_library.h"
#include "worker/exec/git/known_paths.h"

namespace filecall::worker::git {
namespace {

git_index_time time_of(const struct timespec& time) {
  return {static_cast<std::int32_t>(time.tv_sec), static_cast<std::uint32_t>(time.tv_nsec)};
}

/// What git keeps of a file's stat(2), so that it need not read it again.
void fill_stat(git_index_entry& entry, const struct stat& info) {
  entry.ctime = time_of(info.st_ctim);
  entry.mtime = time_of(info.st_mtim);
  entry.dev = static_cast<std::uint32_t>(info.st_dev);
  entry.ino = static_cast<std::uint32_t>(info.st_ino);
  entry.uid = info.st_uid;
  entry.gid = info.st_gid;
  entry.file_size = static_cast<std::uint32_t>(info.st_size);
}

Unexpected<Error> not_taken(const std::string& path, std::string_view why) {
  return fail(ErrorCode::kFailedPrecondition, fmt::format("/params/paths: '{}' {}", path, why));
}

/// All paths that differ between HEAD, the index and the files.
Result<std::set<std::string>> changed_paths(const OpenRepository& repository, git_tree* head,
                                            const std::vector<std::string>& paths,
                                            const std::atomic<bool>& is_cancelled) {
  CompareOptions options;
  options.paths = paths;
  TRY_ASSIGN(const ChangeList staged, compare_with_index(repository, head, options, is_cancelled));
  options.takes_untracked = true;
  TRY_ASSIGN(const ChangeList unstaged, compare_with_files(repository, options, is_cancelled));
  if (staged.foreign_names + unstaged.foreign_names > 0) {
    return fail(ErrorCode::kFailedPrecondition,
                "/params/paths: a changed file has a name that is not UTF-8; name others");
  }
  std::set<std::string> out;
  for (const ChangeList* list : {&staged, &unstaged}) {
    for (const FileChange& change : list->changes) {
      if (change.kind == ChangeKind::kUnreadable) {
        return not_taken(change.path(), "may not be read");
      }
      if (change.before.mode != 0) out.insert(change.before.path);
      if (change.after.mode != 0) out.insert(change.after.path);
    }
  }
  return out;
}

Result<TakenFile> take_file(const OpenRepository& repository, git_index* index,
                            const std::string& path) {
  const git_index_entry* known = ::git_index_get_bypath(index, path.c_str(), 0);
  TakenFile taken;
  // A submodule is committed as it is in the index: nobody looks into it.
  if (known != nullptr && known->mode == GIT_FILEMODE_COMMIT) {
    taken.is_there = true;
    taken.entry = *known;
    return taken;
  }
  TRY_ASSIGN(const auto file, read_worktree_file(repository, path));
  if (!file) return taken;
  if (file->content.is_too_large) {
    return not_taken(path, fmt::format("has {} bytes, more than {} (file.limits.file_bytes)",
                                       file->content.size, repository.rules->config.file_bytes));
  }
  if (const std::string driver = filter_driver(repository, path); !driver.empty()) {
    return not_taken(path, fmt::format("is changed by the program '{}' (filter) when it is "
                                       "committed, and no program runs here; commit it with git",
                                       driver));
  }
  taken.is_there = true;
  fill_stat(taken.entry, file->info);
  taken.entry.mode = file->mode;
  if (known != nullptr && !file->has_known_mode && (known->mode & 0170000) == 0100000) {
    taken.entry.mode = known->mode;
  }
  const std::string& bytes = file->content.bytes;
  const int status =
      ::git_blob_create_from_buffer(&taken.entry.id, repository.get(), bytes.data(), bytes.size());
  if (status < 0) return git_failed(status, fmt::format("'{}'", path));
  return taken;
}

}  // namespace

Result<TakenFiles> take_files(const OpenRepository& repository, git_index* index, git_tree* head,
                              const std::vector<std::string>& paths,
                              const std::atomic<bool>& is_cancelled) {
  TRY(check_known_paths(repository, paths, {{head}, index, true}));
  TRY_ASSIGN(const auto changed, changed_paths(repository, head, paths, is_cancelled));
  TakenFiles taken;
  for (const std::string& path : changed) {
    if (is_cancelled) return fail(ErrorCode::kCancelled, "git.commit was cancelled");
    if (path.ends_with('/')) {
      taken.repositories.push_back(path);
      continue;
    }
    TRY_ASSIGN(taken.files[path], take_file(repository, index, path));
  }
  return taken;
}

Result<void> put_files(git_index* index, const TakenFiles& taken) {
  // What goes first makes room for a directory of the same name.
  for (const auto& [path, file] : taken.files) {
    if (file.is_there) continue;
    const int status = ::git_index_remove(index, path.c_str(), 0);
    if (status < 0 && status != GIT_ENOTFOUND) return git_failed(status, "the index");
  }
  for (const auto& [path, file] : taken.files) {
    if (!file.is_there) continue;
    git_index_entry entry = file.entry;
    entry.path = path.c_str();
    entry.flags = 0;
    const int status = ::git_index_add(index, &entry);
    if (status < 0) return git_failed(status, "the index");
  }
  return {};
}

}  // namespace filecall::worker::git
