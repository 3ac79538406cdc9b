// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/shared_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;

constexpr const char* kOldRoot = "/.host";

class SharedTree {
 public:
  SharedTree(int host, int root) : host_(host), root_(root) {}

  /// 0 or an errno value.
  int perform(const MountStep& step) {
    const char* path = step.path.c_str();
    switch (step.kind) {
      case Kind::kSystem:
        return add_host_file(step, bind_attributes(false));
      case Kind::kDevice:
        // Read-only is the file on the host, with its mode and times; the device is written to all
        // the same.
        return add_host_file(step, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
      case Kind::kLink:
        return ::symlink(step.target.c_str(), path) == 0 ? 0 : errno;
      case Kind::kDirectory:
        return make_place(path, true);
      case Kind::kCovers:
        return ::mkdir(kNoDirectory, 0) == 0 && ::mknod(kNoFile, S_IFREG, 0) == 0 ? 0 : errno;
      case Kind::kProc:
        return mount_proc(root_, path);
      case Kind::kBind:
        return bind(path, RESOLVE_NO_SYMLINKS, bind_attributes(step.writable));
      default:
        return EINVAL;
    }
  }

 private:
  /// Mounts the host's `path` at the same place; nothing is done when the host has none.
  int bind(const char* path, std::uint64_t resolve, std::uint64_t attributes) {
    const Fd source(open_in(host_, path, 0, resolve));
    if (!source.is_open()) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    return attach(root_, source.get(), path, attributes);
  }

  /// A file of the host at the same path, in few calls: the places lie in our own empty tree, where
  /// no link can lead astray.
  int add_host_file(const MountStep& step, std::uint64_t wanted) {
    const char* path = step.path.c_str();
    struct stat info {};
    if (::fstatat(host_, path + 1, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    }
    if (S_ISLNK(info.st_mode)) return add_host_link(path, wanted);
    if (const int error = make_place(path, S_ISDIR(info.st_mode)); error != 0) return error;
    // mount(2) rather than open_tree(2), whose clone begins in a mount namespace of its own.
    if (::mount((kOldRoot + step.path).c_str(), path, nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return errno;
    }
    struct mount_attr attributes {};
    attributes.attr_set = wanted;
    return ::mount_setattr(AT_FDCWD, path, AT_RECURSIVE, &attributes, sizeof attributes) == 0
               ? 0
               : errno;
  }

  int add_host_link(const char* path, std::uint64_t wanted) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(host_, path + 1, target, sizeof target - 1);
    if (size < 0) return errno;
    target[size] = '\0';
    const bool is_kept = ::strncmp(target, "usr/", 4) == 0 || ::strncmp(target, "/usr/", 5) == 0 ||
                         ::strncmp(target, "../usr/", 7) == 0;
    // Elsewhere a link may lead to something that is not in the new tree (/run, for example).
    if (!is_kept) return bind(path, 0, wanted);
    if (const int error = make_parents(path); error != 0) return error;
    return ::symlink(target, path) == 0 ? 0 : errno;
  }

  int host_;
  int root_;
};

/// An empty root of our own; the host's tree is then at kOldRoot.
int pivot_into_empty_root() {
  // Nothing that is mounted here may be seen by the host, nor the other way round.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  constexpr const char* kBase = "/usr";  // Some directory that is everywhere; the host keeps its.
  if (::mount("tmpfs", kBase, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0) {
    return errno;
  }
  if (::chdir(kBase) != 0 || ::mkdir(kOldRoot + 1, 0755) != 0) return errno;
  if (::syscall(SYS_pivot_root, ".", kOldRoot + 1) != 0) return errno;
  return ::chdir("/") == 0 ? 0 : errno;
}

int remove_host_tree() {
  if (::umount2(kOldRoot, MNT_DETACH) != 0 || ::rmdir(kOldRoot) != 0) return errno;
  struct mount_attr wanted {};
  wanted.attr_set = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(AT_FDCWD, "/", 0, &wanted, sizeof wanted) == 0 ? 0 : errno;
}

StepFailure build(const std::vector<MountStep>& plan) {
  if (const int error = pivot_into_empty_root(); error != 0) {
    return failed_at(Step::kMounts, error, "/");
  }
  const Fd host(::open(kOldRoot, O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!host.is_open() || !root.is_open()) return failed_at(Step::kMounts, errno, "/");
  SharedTree tree(host.get(), root.get());
  for (const MountStep& step : plan) {
    if (const int error = tree.perform(step); error != 0) {
      return failed_at(Step::kMounts, error, step.path.c_str());
    }
  }
  if (const int error = remove_host_tree(); error != 0) {
    return failed_at(Step::kMounts, error, "/");
  }
  return {};
}

}  // namespace

StepFailure build_shared_tree(const std::vector<MountStep>& plan) {
  const mode_t mask = ::umask(0);
  const StepFailure failure = build(plan);
  ::umask(mask);
  return failure;
}

}  // namespace filecall::worker::guard
