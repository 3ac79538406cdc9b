// SPDX-License-Identifier: MIT
#include "worker/exec/git/known_paths.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cstring>

#include "worker/exec/file/file_tree.h"

namespace filecall::worker::git {
namespace {

/// The file itself, or something below a directory of that name.
bool is_in_index(git_index* index, const std::string& path) {
  std::size_t at = 0;
  if (::git_index_find(nullptr, index, path.c_str()) == 0) return true;
  return ::git_index_find_prefix(&at, index, (path + "/").c_str()) == 0;
}

bool is_known(const OpenRepository& repository, const std::string& path,
              const PathSources& sources) {
  if (path.empty() || path == ".") return true;
  for (git_tree* tree : sources.trees) {
    TreeEntryHandle entry;
    if (tree != nullptr && ::git_tree_entry_bypath(Out(entry), tree, path.c_str()) == 0)
      return true;
  }
  if (sources.index != nullptr && is_in_index(sources.index, path)) return true;
  return sources.has_files &&
         file::open_without_links(repository.layout.worktree.fd.get(), path, O_PATH | O_NOFOLLOW)
             .is_open();
}

}  // namespace

Result<void> check_known_paths(const OpenRepository& repository,
                               const std::vector<std::string>& paths, const PathSources& sources) {
  for (std::string path : paths) {
    const std::string asked = path;
    while (path.ends_with('/')) path.pop_back();
    if (!repository.hidden.hides(path) && is_known(repository, path, sources)) continue;
    return fail(ErrorCode::kNotFound,
                fmt::format("/params/paths: '{}': no such file or directory", asked));
  }
  return {};
}

}  // namespace filecall::worker::git
