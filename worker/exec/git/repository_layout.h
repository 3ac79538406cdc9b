// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/file/file_tree.h"
#include "worker/exec/git/kept_settings.h"

namespace filecall::worker::git {

/// Where messages say that the repository of a request is wrong.
inline constexpr std::string_view kRepositoryPointer = "/params/repository";

/// The directories of a repository. All lie beneath a root and are not hidden; links on their way
/// lead nowhere out. What they are called was looked up once: libgit2 opens them by name, so that
/// nobody else may replace them while a command runs.
struct RepositoryLayout {
  file::OpenPlace top;        ///< What the request named.
  file::OpenPlace directory;  ///< HEAD and the index: `.git`, or a linked worktree's part of it.
  file::OpenPlace common;     ///< Objects, branches, configuration: the same without linked ones.
  file::OpenPlace worktree;   ///< Not open: a bare repository.
  Settings settings;          ///< The kept ones of its configuration.
  bool is_linked = false;     ///< A worktree that git made beside the main one.
  /// A name in it that leads through a link to another place beneath a root; empty: none.
  std::string link;

  bool is_bare() const { return !worktree.fd.is_open(); }
};

/// Finds the repository whose worktree's top, or which bare repository, `path` is, and checks all
/// that leads on from there before libgit2 opens it: gitfiles, commondir, core.worktree, alternates
/// and links. Failures: those of open_place(); failed_precondition (no repository);
/// permission_denied (a part of it lies beneath no root); unimplemented (a form of repository that
/// is not known). Messages begin with kRepositoryPointer. Blocks; any thread.
Result<RepositoryLayout> find_repository(const file::FileRules& rules, std::string_view path);

/// Opens what `path`, absolute or counted from `from`, leads to beneath any root. `what` names it
/// in messages. Failures: permission_denied, beneath no root; those of open_place().
Result<file::OpenPlace> open_in_roots(const file::FileRules& rules, std::string_view path,
                                      std::string_view from, int flags, std::string_view what);

/// A small file of a repository's own ("gitdir: ...", "commondir"), without the newline at its end.
/// Failures: open_in_roots(); failed_precondition, it is no small regular file.
Result<std::string> read_small_file(const file::FileRules& rules, const file::OpenPlace& directory,
                                    std::string_view name);

}  // namespace filecall::worker::git
