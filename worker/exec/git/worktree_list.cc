// SPDX-License-Identifier: MIT
#include "worker/exec/git/worktree_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace filecall::worker::git {
namespace {

using file::FileRules;
using file::OpenPlace;

constexpr std::string_view kDotGit = "/.git";
constexpr std::string_view kSymbolic = "ref: ";

struct CloseNotes {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::vector<std::string> names_in(const OpenPlace& directory) {
  std::vector<std::string> names;
  UniqueFd fd = file::open_without_links(directory.fd.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) return names;
  const std::unique_ptr<DIR, CloseNotes> stream(::fdopendir(fd.get()));
  if (!stream) return names;
  (void)fd.release();
  while (const struct dirent* entry = ::readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

void read_head(const FileRules& rules, const OpenPlace& notes, KnownWorktree& worktree) {
  const auto head = read_small_file(rules, notes, "HEAD");
  if (!head) return;
  if (head->starts_with(kSymbolic)) {
    worktree.branch = head->substr(kSymbolic.size());
  } else {
    worktree.commit = *head;
  }
}

std::optional<Location> find_place(const FileRules& rules, std::string_view path,
                                   std::string_view from) {
  const auto place = open_in_roots(rules, path, from, O_PATH | O_DIRECTORY, "a worktree");
  if (!place) return std::nullopt;
  return location_of(*place);
}

}  // namespace

std::string Location::whole() const {
  if (path == ".") return root_path;
  return root_path == "/" ? "/" + path : fmt::format("{}/{}", root_path, path);
}

Location location_of(const OpenPlace& place) { return {place.root, place.root_path, place.path}; }

Result<std::vector<KnownWorktree>> list_worktrees(const FileRules& rules,
                                                  const RepositoryLayout& layout) {
  std::vector<KnownWorktree> out;
  const std::string common = layout.common.whole();
  if (!is_true(layout.settings, "core.bare")) {
    KnownWorktree main;
    main.notes = common;
    read_head(rules, layout.common, main);
    if (!layout.is_linked) {
      main.place = location_of(layout.worktree);
    } else if (layout.settings.contains("core.worktree")) {
      main.place = find_place(rules, layout.settings.at("core.worktree"), common);
    } else if (common.ends_with(kDotGit)) {
      main.place = find_place(rules, common.substr(0, common.size() - kDotGit.size()), "/");
    }
    out.push_back(std::move(main));
  }
  auto notes = open_in_roots(rules, "worktrees", common, O_PATH | O_DIRECTORY, "worktrees");
  if (!notes && notes.error().code == ErrorCode::kNotFound) return out;
  if (!notes) return Unexpected(std::move(notes).error());
  for (const std::string& name : names_in(*notes)) {
    const auto own = open_in_roots(rules, name, notes->whole(), O_PATH | O_DIRECTORY, name);
    if (!own) continue;
    KnownWorktree worktree;
    worktree.name = name;
    worktree.notes = own->whole();
    read_head(rules, *own, worktree);
    worktree.is_locked =
        file::open_without_links(own->fd.get(), "locked", O_PATH | O_NOFOLLOW).is_open();
    auto gitfile = read_small_file(rules, *own, "gitdir");
    // Notes that were not finished: git passes over them, too.
    if (!gitfile) continue;
    if (gitfile->ends_with(kDotGit)) gitfile->resize(gitfile->size() - kDotGit.size());
    worktree.place = find_place(rules, *gitfile, worktree.notes);
    if (!worktree.place && gitfile->starts_with('/') && ::access(gitfile->c_str(), F_OK) != 0) {
      worktree.gone = *std::move(gitfile);
    }
    out.push_back(std::move(worktree));
  }
  return out;
}

}  // namespace filecall::worker::git
