// SPDX-License-Identifier: MIT
#pragma once

#include <git2/oid.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/git/change_list.h"

namespace filecall::worker::git {

/// What a file holds, as git keeps it.
struct FileBytes {
  std::string bytes;
  std::size_t size = 0;       ///< Also of what is too large to be read.
  bool is_too_large = false;  ///< More than file.limits.file_bytes: `bytes` is empty.
};

/// The content of an object. Failure: it is missing (a shallow or a damaged repository).
Result<FileBytes> read_object(const OpenRepository& repository, const git_oid& id);

/// A file of the worktree, as a commit would take it.
struct WorktreeFile {
  FileBytes content;  ///< Line ends as git keeps them (core.autocrlf, the attributes text, eol).
  std::uint16_t mode = 0;      ///< 0100644, 0100755 or 0120000 (a link; the content is its target).
  bool has_known_mode = true;  ///< False: core.filemode says that modes mean nothing here.
  struct stat info {};
};
/// Opens it beneath the worktree, never through a link. nullopt: it is not there, hidden, or no
/// file. Attributes that name a program (filter=...) count for nothing: see filter_driver().
Result<std::optional<WorktreeFile>> read_worktree_file(const OpenRepository& repository,
                                                       const std::string& path);

/// The name of the program that the attribute `filter` asks for ("lfs"); empty: none. Such a file
/// is kept by git as that program makes it, and nothing runs here.
std::string filter_driver(const OpenRepository& repository, const std::string& path);
/// The same by the attributes that a commit has.
std::string filter_driver_at(const OpenRepository& repository, const std::string& path,
                             const git_commit* commit);

}  // namespace filecall::worker::git
