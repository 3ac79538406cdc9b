// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/mounts.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;

constexpr const char* kOldRoot = "/.host";
/// What hidden places are covered with; removed once they are.
constexpr const char* kNoDirectory = "/.nothing";
constexpr const char* kNoFile = "/.empty";

/// A descriptor that is closed at the end of its block.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Opens `path` as if `root` were "/". RESOLVE_NO_SYMLINKS: a link on the way is an error (ELOOP).
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

class TreeBuilder {
 public:
  TreeBuilder(int host, int root, std::int64_t tmp_bytes)
      : host_(host), root_(root), tmp_bytes_(tmp_bytes) {}

  /// 0 or an errno value.
  int perform(const MountStep& step) {
    const char* path = step.path.c_str();
    switch (step.kind) {
      case Kind::kSystem:
        return add_host_file(step, attributes(false));
      case Kind::kDevice:
        return add_host_file(step, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
      case Kind::kLink:
        return ::symlink(step.target.c_str(), path) == 0 ? 0 : errno;
      case Kind::kTmpfs:
        return add_tmpfs(path);
      case Kind::kTerminals:
        return mount_new(path, "devpts", MS_NOSUID | MS_NOEXEC,
                         "newinstance,ptmxmode=0666,mode=620");
      case Kind::kProc:
        return mount_new(path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr);
      case Kind::kBind:
        return bind(path, path, 0, RESOLVE_NO_SYMLINKS, attributes(step.writable));
      case Kind::kPin:
        return pin(path);
      case Kind::kHide:
        return hide(path);
    }
    return EINVAL;
  }

 private:
  static std::uint64_t attributes(bool writable) {
    return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (writable ? 0 : MOUNT_ATTR_RDONLY);
  }

  static int make_parents(const char* path) {
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

  static int make_place(const char* path, bool wants_directory) {
    const auto make = [&] {
      const int made = wants_directory ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0444, 0);
      return made == 0 || errno == EEXIST ? 0 : errno;
    };
    const int error = make();
    if (error != ENOENT) return error;
    if (const int failed = make_parents(path); failed != 0) return failed;
    return make();
  }

  /// The place in the new tree where something is to be mounted, made when it is not there. A link
  /// on the way, which a tool may have made in a writable root, is an error.
  int open_place(const char* path, bool wants_directory) {
    const int fd = open_in(root_, path, 0, RESOLVE_NO_SYMLINKS);
    if (fd >= 0 || errno != ENOENT) return fd;
    if (const int error = make_place(path, wants_directory); error != 0) return errno = error, -1;
    return open_in(root_, path, 0, RESOLVE_NO_SYMLINKS);
  }

  /// Mounts what `from` is open on, with all that is mounted beneath it, at `path`.
  int attach(int from, const char* path, std::uint64_t attributes) {
    const Fd tree(::open_tree(
        from, "",
        OPEN_TREE_CLONE | static_cast<unsigned>(OPEN_TREE_CLOEXEC) | AT_EMPTY_PATH | AT_RECURSIVE));
    if (!tree.is_open()) return errno;
    struct mount_attr wanted {};
    wanted.attr_set = attributes;
    if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) !=
        0) {
      return errno;
    }
    const Fd place(open_place(path, is_directory(from)));
    if (!place.is_open()) return errno;
    return ::move_mount(tree.get(), "", place.get(), "",
                        MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0
               ? 0
               : errno;
  }

  /// Mounts the host's `from` at `path`; nothing is done when the host has none.
  int bind(const char* from, const char* path, std::uint64_t flags, std::uint64_t resolve,
           std::uint64_t wanted) {
    const Fd source(open_in(host_, from, flags, resolve));
    if (!source.is_open()) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    return attach(source.get(), path, wanted);
  }

  /// A file of the host at the same path. There are many of them on every run, so it is done in
  /// few calls: the places lie in our own empty tree, where no link can lead astray.
  int add_host_file(const MountStep& step, std::uint64_t wanted) {
    const char* path = step.path.c_str();
    struct stat info {};
    if (::fstatat(host_, path + 1, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    }
    if (S_ISLNK(info.st_mode)) return add_host_link(step, wanted);
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

  int add_host_link(const MountStep& step, std::uint64_t wanted) {
    const char* path = step.path.c_str();
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(host_, path + 1, target, sizeof target - 1);
    if (size < 0) return errno;
    target[size] = '\0';
    const bool is_kept = ::strncmp(target, "usr/", 4) == 0 || ::strncmp(target, "/usr/", 5) == 0 ||
                         ::strncmp(target, "../usr/", 7) == 0;
    // Elsewhere a link may lead to something that is not in the new tree (/run, for example).
    if (!is_kept) return bind(path, path, 0, 0, wanted);
    if (const int error = make_parents(path); error != 0) return error;
    return ::symlink(target, path) == 0 ? 0 : errno;
  }

  int mount_new(const char* path, const char* type, unsigned long flags, const char* data) {
    const Fd place(open_place(path, true));
    if (!place.is_open()) return errno;
    return ::mount(type, path, type, flags, data) == 0 ? 0 : errno;
  }

  int add_tmpfs(const char* path) {
    char data[64];
    ::snprintf(data, sizeof data, "mode=1777,size=%lld", static_cast<long long>(tmp_bytes_));
    return mount_new(path, "tmpfs", MS_NOSUID | MS_NODEV, data);
  }

  int pin(const char* path) {
    const Fd place(open_in(root_, path, 0, RESOLVE_NO_SYMLINKS));
    if (!place.is_open()) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    return attach(place.get(), path, 0);
  }

  int hide(const char* path) {
    const Fd place(open_in(root_, path, 0, RESOLVE_NO_SYMLINKS));
    if (!place.is_open()) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    const Fd nothing(
        open_in(root_, is_directory(place.get()) ? kNoDirectory : kNoFile, 0, RESOLVE_NO_SYMLINKS));
    if (!nothing.is_open()) return errno;
    return attach(nothing.get(), path, attributes(false) | MOUNT_ATTR_NOEXEC);
  }

  int host_;
  int root_;
  std::int64_t tmp_bytes_;
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
  if (::rmdir(kNoDirectory) != 0 || ::unlink(kNoFile) != 0) return errno;
  struct mount_attr wanted {};
  wanted.attr_set = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(AT_FDCWD, "/", 0, &wanted, sizeof wanted) == 0 ? 0 : errno;
}

StepFailure build_tree(const std::vector<MountStep>& plan, std::int64_t tmp_bytes) {
  if (const int error = pivot_into_empty_root(); error != 0) {
    return failed_at(Step::kMounts, error, "/");
  }
  const Fd host(::open(kOldRoot, O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!host.is_open() || !root.is_open() || ::mknod(kNoFile, S_IFREG, 0) != 0 ||
      ::mkdir(kNoDirectory, 0) != 0) {
    return failed_at(Step::kMounts, errno, "/");
  }
  TreeBuilder builder(host.get(), root.get(), tmp_bytes);
  for (const MountStep& step : plan) {
    if (const int error = builder.perform(step); error != 0) {
      return failed_at(Step::kMounts, error, step.path.c_str());
    }
  }
  if (const int error = remove_host_tree(); error != 0) {
    return failed_at(Step::kMounts, error, "/");
  }
  return {};
}

}  // namespace

StepFailure enter_mounts(const std::vector<MountStep>& plan, std::int64_t tmp_bytes) {
  const mode_t mask = ::umask(0);
  const StepFailure failure = build_tree(plan, tmp_bytes);
  ::umask(mask);
  return failure;
}

StepFailure enter_directory(const char* path, int directory_fd) {
  struct stat wanted {};
  if (::fstat(directory_fd, &wanted) != 0) return failed_at(Step::kDirectory, errno, path);
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd found(open_in(root.get(), path, O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!found.is_open()) return failed_at(Step::kDirectory, errno, path);
  struct stat info {};
  if (::fstat(found.get(), &info) != 0) return failed_at(Step::kDirectory, errno, path);
  if (info.st_dev != wanted.st_dev || info.st_ino != wanted.st_ino) {
    return failed_at(Step::kDirectory, ENOENT, path);
  }
  return ::fchdir(found.get()) == 0 ? StepFailure{} : failed_at(Step::kDirectory, errno, path);
}

}  // namespace filecall::worker::guard
