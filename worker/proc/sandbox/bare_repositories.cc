// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/bare_repositories.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace filecall::worker::guard {
namespace {

constexpr const char* kHead = "HEAD";
constexpr int kNamesMax = 100;

bool has(const Fd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_EACCESS) == 0 || errno != ENOENT;
}

/// 0 or an errno value.
int rename_head(const Fd& folder, const char* name) {
  return ::renameat2(folder.get(), kHead, folder.get(), name, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

/// A tool can take the right to rename from its owner.
int rename_head_by_force(const Fd& folder, const char* name) {
  const int error = rename_head(folder, name);
  struct stat info {};
  if (error != EACCES || ::fstat(folder.get(), &info) != 0) return error;
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get());
  if (::chmod(path.c_str(), (info.st_mode & 07777) | S_IRWXU) != 0) return error;
  const int forced = rename_head(folder, name);
  ::chmod(path.c_str(), info.st_mode & 07777);
  return forced;
}

/// The new name; "": none could be given.
std::string put_head_aside(const Fd& folder) {
  for (int number = 1; number <= kNamesMax; ++number) {
    std::string name = std::string(kHead) + ".set-aside";
    if (number > 1) name += "-" + std::to_string(number);
    const int error = rename_head_by_force(folder, name.c_str());
    if (error == 0) return name;
    if (error != EEXIST) break;
  }
  return "";
}

}  // namespace

bool is_bare_repository(const Fd& folder) {
  struct stat head {};
  if (::fstatat(folder.get(), kHead, &head, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(head.st_mode) && !S_ISLNK(head.st_mode)) return false;
  // A worktree's directory has the others elsewhere.
  return has(folder, "commondir") || (has(folder, "objects") && has(folder, "refs"));
}

void BareRepositories::watch(const Fd& folder, const std::string& path) {
  if (is_bare_repository(folder)) return;
  Fd kept(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 3));
  if (kept.is_open()) watched_.push_back({std::move(kept), path});
}

std::vector<BareRepository> BareRepositories::set_aside() const {
  std::vector<BareRepository> found;
  for (const auto& [folder, path] : watched_) {
    if (is_bare_repository(folder)) found.push_back({path, put_head_aside(folder)});
  }
  return found;
}

}  // namespace filecall::worker::guard
