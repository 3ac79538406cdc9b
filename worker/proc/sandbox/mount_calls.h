// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The calls that a file tree is made of. Each of those that return an int gives 0 or an errno
/// value, unless it says otherwise.
namespace filecall::worker::guard {

/// A descriptor that is closed at the end of its block.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset(int fd = -1);
  int release();

 private:
  int fd_ = -1;
};

/// Opens `path` as if `root` were "/". RESOLVE_NO_SYMLINKS: a link on the way is an error (ELOOP).
/// -1: errno says why.
int open_in(int root, const char* path, std::uint64_t flags, std::uint64_t resolve);

bool is_directory(int fd);

/// Of a mount that shows something of the host.
std::uint64_t bind_attributes(bool writable);

/// Makes the directories above `path`.
int make_parents(const char* path);

/// A directory or an empty file to mount something on, and the directories above it.
int make_place(const char* path, bool wants_directory);

/// The place in the tree `root` where something is to be mounted, made when it is not there. A link
/// on the way, which a tool may have made in a writable root, is an error. -1: errno says why.
int open_place(int root, const char* path, bool wants_directory);

/// Mounts what `from` is open on, with all that is mounted beneath it, at `path` of the tree
/// `root`.
int attach(int root, int from, const char* path, std::uint64_t attributes);

/// Moves the mount that `mount` is open on to `path` of the tree `root`.
int move_to(int root, int mount, const char* path);

/// A new file system at `path` of the tree `root`.
int mount_new(int root, const char* path, const char* type, unsigned long flags, const char* data);
/// A read-only /proc of the calling process's process tree.
int mount_proc(int root, const char* path);

}  // namespace filecall::worker::guard
