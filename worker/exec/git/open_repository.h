// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/file/file_command.h"
#include "worker/exec/file/place_locks.h"
#include "worker/exec/git/git_handles.h"
#include "worker/exec/git/hidden_names.h"
#include "worker/exec/git/repository_layout.h"

namespace filecall::worker::git {

/// What a command wants of a repository.
enum class Use : std::uint8_t {
  kObjects,   ///< Commits and the index alone; works in a bare repository, too.
  kWorktree,  ///< Its files as well.
  kChange,    ///< To write into `.git`; file.writable covers all of the repository.
};

/// A repository that was checked and opened. libgit2 has those settings of its configuration that
/// kept_settings() keeps, and no other configuration. One thread at a time.
struct OpenRepository {
  const file::FileRules* rules = nullptr;
  RepositoryLayout layout;
  RepositoryHandle handle;
  std::vector<KnownWorktree> worktrees;
  HiddenNames hidden;
  file::PlaceLocks::Held lock;  ///< Of a change: no other command changes it meanwhile.

  git_repository* get() const { return handle.get(); }
  /// As answers name it.
  std::string name() const;
};

/// Opens the repository of a request (`repository`; by default the first root). Failures: those of
/// find_repository(); failed_precondition (a bare one has no files); permission_denied
/// (file.writable does not cover it; it leads out of the bounds of the request). Blocks; any
/// thread.
Result<OpenRepository> open_repository(const file::FileJob& job, Use use);

/// The same of a place that is known, without looking for it again.
Result<RepositoryHandle> open_layout(const RepositoryLayout& layout, bool has_worktree);

/// Whether commits and switches may be made: it has files, git is not in the midst of a merge or
/// the like, and no other program holds its index. Failures: failed_precondition; unavailable.
Result<void> check_is_quiet(const OpenRepository& repository);

/// Paths of a request (`paths`, `path`), which count from the worktree's top and are taken as they
/// are, without patterns. "." stands for all: then the list is empty. Failures: invalid_argument;
/// not_found, what is hidden.
Result<std::vector<std::string>> checked_paths(const OpenRepository& repository,
                                               const std::vector<std::string>& paths,
                                               std::string_view pointer);

}  // namespace filecall::worker::git
