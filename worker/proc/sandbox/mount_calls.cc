// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/mount_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace filecall::worker::guard {

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

int Fd::release() { return std::exchange(fd_, -1); }

int open_in(int root, const char* path, std::uint64_t flags, std::uint64_t resolve) {
  struct open_how how {};
  how.flags = flags | O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve;
  return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
}

bool is_directory(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

std::uint64_t bind_attributes(bool writable) {
  return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0 : MOUNT_ATTR_RDONLY);
}

int make_parents(const char* path) {
  char part[PATH_MAX];
  for (const char* slash = ::strchr(path + 1, '/'); slash != nullptr;
       slash = ::strchr(slash + 1, '/')) {
    const auto size = static_cast<std::size_t>(slash - path);
    if (size >= sizeof part) return ENAMETOOLONG;
    std::memcpy(part, path, size);
    part[size] = '\0';
    if (::mkdir(part, 0755) != 0 && errno != EEXIST) return errno;
  }
  return 0;
}

int make_place(const char* path, bool wants_directory) {
  const auto make = [&] {
    const int made = wants_directory ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0444, 0);
    return made == 0 || errno == EEXIST ? 0 : errno;
  };
  const int error = make();
  if (error != ENOENT) return error;
  if (const int failed = make_parents(path); failed != 0) return failed;
  return make();
}

int open_place(int root, const char* path, bool wants_directory) {
  const int fd = open_in(root, path, 0, RESOLVE_NO_SYMLINKS);
  if (fd >= 0 || errno != ENOENT) return fd;
  if (const int error = make_place(path, wants_directory); error != 0) return errno = error, -1;
  return open_in(root, path, 0, RESOLVE_NO_SYMLINKS);
}

int attach(int root, int from, const char* path, std::uint64_t attributes) {
  const Fd tree(::open_tree(
      from, "",
      OPEN_TREE_CLONE | static_cast<unsigned>(OPEN_TREE_CLOEXEC) | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!tree.is_open()) return errno;
  struct mount_attr wanted {};
  wanted.attr_set = attributes;
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) != 0) {
    return errno;
  }
  return move_to(root, tree.get(), path);
}

int move_to(int root, int mount, const char* path) {
  const Fd place(open_place(root, path, is_directory(mount)));
  if (!place.is_open()) return errno;
  return ::move_mount(mount, "", place.get(), "",
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0
             ? 0
             : errno;
}

int mount_new(int root, const char* path, const char* type, unsigned long flags, const char* data) {
  const Fd place(open_place(root, path, true));
  if (!place.is_open()) return errno;
  return ::mount(type, path, type, flags, data) == 0 ? 0 : errno;
}

int mount_proc(int root, const char* path) {
  return mount_new(root, path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr);
}

}  // namespace filecall::worker::guard
