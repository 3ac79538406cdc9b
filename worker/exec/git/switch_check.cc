// SPDX-License-Identifier: MIT
#include "worker/exec/git/switch_check.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <memory>
#include <utility>
#include <vector>

#include "worker/exec/git/file_sides.h"
#include "worker/exec/git/revision.h"

namespace filecall::worker::git {
namespace {

/// Of paths in one answer.
constexpr std::size_t kNamedPaths = 20;

struct CloseListing {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Whether a directory of the worktree has a file that does not go with the switch.
bool has_other_files(int top, const std::string& directory, const std::set<std::string>& going) {
  std::vector<std::string> ahead = {directory};
  while (!ahead.empty()) {
    const std::string path = std::move(ahead.back());
    ahead.pop_back();
    UniqueFd fd = file::open_without_links(top, path, O_RDONLY | O_DIRECTORY);
    if (!fd.is_open()) return true;
    const std::unique_ptr<DIR, CloseListing> stream(::fdopendir(fd.get()));
    if (!stream) return true;
    (void)fd.release();
    while (const struct dirent* entry = ::readdir(stream.get())) {
      const std::string_view name(entry->d_name);
      if (name == "." || name == "..") continue;
      std::string child = fmt::format("{}/{}", path, name);
      struct stat info {};
      if (::fstatat(::dirfd(stream.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return true;
      }
      if (S_ISDIR(info.st_mode)) {
        ahead.push_back(std::move(child));
      } else if (!going.contains(child)) {
        return true;
      }
    }
  }
  return false;
}

/// What lies in the worktree where a file or its directories would come; empty: nothing.
std::string thing_in_the_way(int top, const std::string& path,
                             const std::set<std::string>& changed) {
  for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    const UniqueFd fd = file::open_without_links(top, part, O_PATH | O_NOFOLLOW);
    struct stat info {};
    if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) return "";
    const bool is_directory = S_ISDIR(info.st_mode);
    if (at == path.npos) {
      if (is_directory) return has_other_files(top, part, changed) ? part : "";
      return part;
    }
    // A file that goes makes room for the directory.
    if (!is_directory) return changed.contains(part) ? "" : part;
  }
}

Result<std::set<std::string>> local_changes(const OpenRepository& repository,
                                            const std::atomic<bool>& is_cancelled) {
  CompareOptions options;
  options.takes_hidden = true;
  TRY_ASSIGN(const CommitHandle head, head_commit(repository.get()));
  TRY_ASSIGN(const TreeHandle tree, tree_of(head.get()));
  TRY_ASSIGN(const ChangeList staged,
             compare_with_index(repository, tree.get(), options, is_cancelled));
  TRY_ASSIGN(const ChangeList unstaged, compare_with_files(repository, options, is_cancelled));
  std::set<std::string> paths;
  for (const ChangeList* list : {&staged, &unstaged}) {
    for (const FileChange& change : list->changes) {
      paths.insert(change.before.path);
      paths.insert(change.after.path);
    }
  }
  return paths;
}

}  // namespace

std::set<std::string> paths_in_the_way(const std::set<std::string>& mine,
                                       const std::set<std::string>& theirs) {
  std::set<std::string> out;
  for (const std::string& path : mine) {
    const auto below = theirs.lower_bound(path + "/");
    bool is_in_the_way =
        theirs.contains(path) || (below != theirs.end() && below->starts_with(path + "/"));
    for (std::size_t at = path.find('/'); at != path.npos && !is_in_the_way;
         at = path.find('/', at + 1)) {
      is_in_the_way = theirs.contains(path.substr(0, at));
    }
    if (is_in_the_way) out.insert(path);
  }
  return out;
}

Result<SwitchPlan> plan_switch(const OpenRepository& repository, git_tree* before, git_tree* after,
                               const git_commit* after_commit,
                               const std::atomic<bool>& is_cancelled) {
  CompareOptions options;
  options.takes_hidden = true;
  TRY_ASSIGN(const ChangeList list,
             compare_trees(repository, before, after, options, is_cancelled));
  if (list.foreign_names > 0) {
    return fail(ErrorCode::kFailedPrecondition,
                "/params/name: the branches differ in a file whose name is not UTF-8; switch with "
                "git");
  }
  SwitchPlan plan;
  const Location place = location_of(repository.layout.worktree);
  for (const FileChange& change : list.changes) {
    for (const FileSide* side : {&change.before, &change.after}) {
      if (side->mode == 0) continue;
      plan.changed.insert(side->path);
      if (!repository.hidden.protects_at(side->path, place)) continue;
      return fail(ErrorCode::kPermissionDenied,
                  fmt::format("/params/name: '{}' would change, and is protected (file.protected)",
                              side->path));
    }
    if (change.after.mode == 0) continue;
    if (change.before.mode == 0 || change.before.path != change.after.path) {
      plan.added.insert(change.after.path);
    }
    std::string driver = filter_driver(repository, change.after.path);
    if (driver.empty()) driver = filter_driver_at(repository, change.after.path, after_commit);
    if (driver.empty()) continue;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("/params/name: '{}' is made by the program '{}' (filter) when it is "
                            "checked out, and no program runs here; switch with git",
                            change.after.path, driver));
  }
  return plan;
}

file::PlaceLocks::Held hold_files(const OpenRepository& repository, const SwitchPlan& plan) {
  std::vector<file::PlaceKey> keys;
  const int top = repository.layout.worktree.fd.get();
  for (const std::string& path : plan.changed) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == path.npos ? "." : path.substr(0, slash);
    const UniqueFd fd = file::open_without_links(top, directory, O_PATH | O_DIRECTORY);
    struct stat info {};
    if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) continue;
    keys.push_back({info.st_dev, info.st_ino, path.substr(slash == path.npos ? 0 : slash + 1)});
  }
  return file::PlaceLocks::of_process().hold(std::move(keys));
}

Result<void, Failure> check_switch(const OpenRepository& repository, const SwitchPlan& plan,
                                   const std::atomic<bool>& is_cancelled) {
  TRY_ASSIGN(const auto local, local_changes(repository, is_cancelled));
  std::set<std::string> lost = paths_in_the_way(local, plan.changed);
  for (const std::string& path : plan.added) {
    std::string thing = thing_in_the_way(repository.layout.worktree.fd.get(), path, plan.changed);
    if (!thing.empty()) lost.insert(std::move(thing));
  }
  lost.erase("");
  if (lost.empty()) return {};
  Json paths = Json::array();
  for (const std::string& path : lost) {
    if (paths.size() < kNamedPaths && !repository.hidden.hides(path)) paths.push_back(path);
  }
  Failure failure;
  failure.code = ErrorCode::kFailedPrecondition;
  failure.message = fmt::format(
      "/params/name: local changes would be lost in {}{}: nothing was changed; commit them, or use "
      "a worktree of the branch (git.worktree)",
      paths.empty() ? "a file that is not shown" : "'" + paths[0].get<std::string>() + "'",
      lost.size() > 1 ? fmt::format(" and {} more", lost.size() - 1) : "");
  failure.details = Json{{"left_out", lost.size() - paths.size()}, {"paths", std::move(paths)}};
  return Unexpected(std::move(failure));
}

}  // namespace filecall::worker::git
