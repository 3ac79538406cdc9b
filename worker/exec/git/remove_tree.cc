// SPDX-License-Identifier: MIT
#include "worker/exec/git/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "worker/exec/file/file_tree.h"

namespace filecall::worker::git {
namespace {

struct CloseRemoved {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct TreeName {
  std::string name;
  bool is_directory = false;
};

/// What a directory holds. Failure: errno's; a directory of another file system.
Result<std::vector<TreeName>> children_of(int directory, dev_t device, const std::string& path) {
  std::vector<TreeName> children;
  UniqueFd fd = file::open_without_links(directory, path, O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) return fail_errno(errno, sanitize_utf8(path));
  const std::unique_ptr<DIR, CloseRemoved> stream(::fdopendir(fd.get()));
  if (!stream) return fail_errno(errno, sanitize_utf8(path));
  (void)fd.release();
  while (const struct dirent* entry = ::readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    struct stat info {};
    if (::fstatat(::dirfd(stream.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (info.st_dev != device) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("'{}/{}' lies on another file system", sanitize_utf8(path),
                              sanitize_utf8(name)));
    }
    children.push_back({std::string(name), S_ISDIR(info.st_mode)});
  }
  return children;
}

Result<void> remove_name(int directory, const std::string& path, int flags) {
  const std::size_t slash = path.rfind('/');
  const UniqueFd parent = file::open_without_links(
      directory, slash == path.npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
  const std::string name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (parent.is_open() && ::unlinkat(parent.get(), name.c_str(), flags) == 0) return {};
  if (errno == ENOENT) return {};
  return fail_errno(errno, sanitize_utf8(path));
}

}  // namespace

Result<void> remove_tree(int directory, const std::string& name) {
  struct stat top {};
  if (::fstatat(directory, name.c_str(), &top, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, sanitize_utf8(name));
  }
  // Each directory is met twice: first its children go ahead of it, then it is empty.
  std::vector<std::pair<std::string, bool>> ahead = {{name, false}};
  while (!ahead.empty()) {
    const auto [path, is_emptied] = ahead.back();
    if (is_emptied) {
      ahead.pop_back();
      TRY(remove_name(directory, path, AT_REMOVEDIR));
      continue;
    }
    ahead.back().second = true;
    TRY_ASSIGN(const auto children, children_of(directory, top.st_dev, path));
    for (const TreeName& child : children) {
      std::string below = fmt::format("{}/{}", path, child.name);
      if (child.is_directory) {
        ahead.emplace_back(std::move(below), false);
      } else {
        TRY(remove_name(directory, below, 0));
      }
    }
  }
  return {};
}

}  // namespace filecall::worker::git
