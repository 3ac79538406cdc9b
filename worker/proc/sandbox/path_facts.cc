// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/path_facts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include <cerrno>

#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;

PathFacts facts_of(const struct stat& info) {
  PathFacts facts;
  facts.device = info.st_dev;
  facts.inode = info.st_ino;
  facts.type = info.st_mode & S_IFMT;
  return facts;
}

PathFacts without_file(int error) {
  PathFacts facts;
  facts.error = error;
  return facts;
}

PathFacts look_at_file(const char* path) {
  struct stat info {};
  if (::lstat(path, &info) != 0) return without_file(errno);
  PathFacts facts = facts_of(info);
  if (!S_ISLNK(info.st_mode)) return facts;
  facts.link_changed_ns =
      static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec;
  if (::stat(path, &info) == 0) {
    facts.target_device = info.st_dev;
    facts.target_inode = info.st_ino;
  }
  return facts;
}

/// As it is bound: no link is followed.
PathFacts look_at_bind(int root, const char* path) {
  const Fd file(open_in(root, path, 0, RESOLVE_NO_SYMLINKS));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0) return without_file(errno);
  return facts_of(info);
}

}  // namespace

std::vector<PathFacts> look_at_host(const std::vector<MountStep>& shared) {
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::vector<PathFacts> facts;
  for (const MountStep& step : shared) {
    const char* path = step.path.c_str();
    if (step.kind == Kind::kSystem || step.kind == Kind::kDevice) {
      facts.push_back(look_at_file(path));
    } else if (step.kind == Kind::kBind) {
      facts.push_back(look_at_bind(root.get(), path));
    }
  }
  return facts;
}

}  // namespace filecall::worker::guard
