// SPDX-License-Identifier: MIT
#include "worker/exec/git/submodules.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "worker/exec/git/file_sides.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

bool has_entries(int top, const std::string& path) {
  UniqueFd fd = file::open_without_links(top, path, O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) return false;
  DIR* stream = ::fdopendir(fd.get());
  if (stream == nullptr) return true;
  (void)fd.release();
  int count = 0;
  while (::readdir(stream) != nullptr) ++count;
  ::closedir(stream);
  // "." and "..".
  return count > 2;
}

bool is_asked_for(const std::string& path, const std::vector<std::string>& paths) {
  return paths.empty() || std::ranges::any_of(paths, [&](std::string_view asked) {
           while (asked.ends_with('/')) asked.remove_suffix(1);
           const bool is_above =
               path.size() > asked.size() && path.starts_with(asked) && path[asked.size()] == '/';
           return asked.empty() || path == asked || is_above;
         });
}

}  // namespace

Result<std::vector<std::string>> checked_out_submodules(const OpenRepository& worktree,
                                                        const std::vector<std::string>& paths,
                                                        bool takes_hidden) {
  IndexHandle index;
  const int status = ::git_repository_index(Out(index), worktree.get());
  if (status < 0) return git_failed(status, "the index");
  std::vector<std::string> found;
  for (std::size_t i = 0; i < ::git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = ::git_index_get_byindex(index.get(), i);
    if (entry->mode != GIT_FILEMODE_COMMIT || !is_asked_for(entry->path, paths)) continue;
    if (!takes_hidden && (worktree.hidden.hides(entry->path) || !is_valid_utf8(entry->path))) {
      continue;
    }
    if (has_entries(worktree.layout.worktree.fd.get(), entry->path)) {
      found.emplace_back(entry->path);
    }
  }
  return found;
}

Result<void> add_unchecked_submodules(const OpenRepository& worktree,
                                      const std::vector<std::string>& paths, Json& out) {
  TRY_ASSIGN(auto submodules, checked_out_submodules(worktree, paths));
  if (submodules.empty()) return {};
  const std::size_t max = worktree.rules->config.results;
  if (submodules.size() > max) submodules.resize(max);
  out["submodules_not_checked"] = std::move(submodules);
  out["complete"] = false;
  return {};
}

}  // namespace filecall::worker::git
