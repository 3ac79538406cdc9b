// SPDX-License-Identifier: MIT
// Names: renaming, linking, removing, listing, watching.
#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "handles.h"
#include "libc.h"
#include "plan.h"
#include "shadow.h"

namespace faults {
namespace {

int rename_at(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  const auto real = [&] { return libc::renameat2(from_fd, from, to_fd, to, flags); };
  if (!is_on()) return real();
  const auto source = handles::resolve(from_fd, from);
  const auto target = handles::resolve(to_fd, to);
  if (!source || !target) return real();
  return perform(Op::kRename, *target, [&] {
    const bool replaces = (flags & (RENAME_NOREPLACE | RENAME_EXCHANGE)) == 0;
    const std::string kept = replaces ? shadow::keep(*target) : "";
    const int result = real();
    if (result != 0) return result;
    if ((flags & RENAME_EXCHANGE) != 0) {
      shadow::after_exchange(*source, *target);
    } else {
      shadow::after_rename(*source, *target, kept);
    }
    return result;
  });
}

int link_at(int from_fd, const char* from, int to_fd, const char* to, int flags) {
  const auto real = [&] { return libc::linkat(from_fd, from, to_fd, to, flags); };
  const auto target = is_on() ? handles::resolve(to_fd, to) : std::nullopt;
  if (!target) return real();
  return perform(Op::kLink, *target, [&] {
    const int result = real();
    if (result == 0) shadow::after_new_name(*target);
    return result;
  });
}

int unlink_at(int directory, const char* path, int flags) {
  const auto real = [&] { return libc::unlinkat(directory, path, flags); };
  const auto full = is_on() ? handles::resolve(directory, path) : std::nullopt;
  if (!full) return real();
  return perform(Op::kUnlink, *full, [&] {
    const std::string kept = (flags & AT_REMOVEDIR) != 0 ? "" : shadow::keep(*full);
    const int result = real();
    if (result != 0) return result;
    if ((flags & AT_REMOVEDIR) != 0) {
      shadow::after_removed_directory(*full);
    } else {
      shadow::after_removal(*full, kept);
    }
    return result;
  });
}

int mkdir_at(int directory, const char* path, mode_t mode) {
  const auto real = [&] { return libc::mkdirat(directory, path, mode); };
  const auto full = is_on() ? handles::resolve(directory, path) : std::nullopt;
  if (!full) return real();
  return perform(Op::kMkdir, *full, [&] {
    const int result = real();
    if (result == 0) shadow::after_new_name(*full);
    return result;
  });
}

template <typename Real>
auto list_of(int fd, const Real& real) -> decltype(real()) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return real();
  return perform(Op::kList, *path, real);
}

}  // namespace
}  // namespace faults

extern "C" {

int rename(const char* from, const char* to) noexcept {
  return faults::rename_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_fd, const char* from, int to_fd, const char* to) noexcept {
  return faults::rename_at(from_fd, from, to_fd, to, 0);
}
int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  return faults::rename_at(from_fd, from, to_fd, to, flags);
}
int link(const char* from, const char* to) noexcept {
  return faults::link_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_fd, const char* from, int to_fd, const char* to, int flags) noexcept {
  return faults::link_at(from_fd, from, to_fd, to, flags);
}
int unlink(const char* path) noexcept { return faults::unlink_at(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char* path, int flags) noexcept {
  return faults::unlink_at(directory, path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return faults::mkdir_at(AT_FDCWD, path, mode); }
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  return faults::mkdir_at(directory, path, mode);
}

ssize_t getdents64(int fd, void* buffer, size_t size) noexcept {
  return faults::list_of(fd, [=] { return faults::libc::getdents64(fd, buffer, size); });
}
struct dirent* readdir(DIR* directory) {
  struct dirent* entry = nullptr;
  faults::list_of(::dirfd(directory), [&] {
    entry = faults::libc::readdir(directory);
    return 0;
  });
  return entry;
}
struct dirent64* readdir64(DIR* directory) {
  // One and the same on a 64-bit machine.
  return reinterpret_cast<struct dirent64*>(readdir(directory));
}
int closedir(DIR* directory) {
  faults::handles::forget(::dirfd(directory));
  return faults::libc::closedir(directory);
}
int inotify_add_watch(int fd, const char* path, uint32_t mask) noexcept {
  const auto real = [=] { return faults::libc::inotify_add_watch(fd, path, mask); };
  const auto full = faults::is_on() ? faults::handles::resolve(AT_FDCWD, path) : std::nullopt;
  return full ? faults::perform(faults::Op::kWatch, *full, real) : real();
}

}  // extern "C"
