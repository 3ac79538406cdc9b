// SPDX-License-Identifier: MIT
#include "shadow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "libc.h"
#include "plan.h"

namespace faults::shadow {
namespace {

/// Of a directory that comes back: nothing here tells its mode.
constexpr mode_t kFolderMode = 0700;

/// The descriptor is never closed: closing one of a file drops the process's POSIX locks on it
/// (SQLite's), and an open one keeps the inode's number from being given to another file.
struct File {
  int fd = -1;
  bool is_dirty = false;
  bool is_poisoned = false;  ///< A sync failed: what was written before it is gone.
  std::string stable;        ///< The bytes to go back to; meaningful while dirty.
};

struct NameChange {
  enum class Kind : std::uint8_t {
    kAdded,
    kRemoved,
    kRenamed,
    kExchanged,
    kRemovedDirectory,
  } kind;
  std::string path;  ///< Added or removed; renamed: the new name; exchanged: one of the two.
  std::string from;  ///< Renamed: the old name; exchanged: the other one.
  std::string kept;  ///< Link to the file that was removed or replaced.
  ino_t inode = 0;   ///< Of the file that has (had) the name.
};

std::map<ino_t, File>& files() {
  static auto* const instance = new std::map<ino_t, File>;
  return *instance;
}
std::vector<NameChange>& changes() {
  static auto* const instance = new std::vector<NameChange>;
  return *instance;
}

class KeepErrno {
 public:
  ~KeepErrno() { errno = saved_; }

 private:
  int saved_ = errno;
};

bool is_wanted() { return !plan().forget.empty(); }

ino_t inode_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string contents(int fd) {
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t got = libc::pread(fd, buffer, sizeof buffer, static_cast<off_t>(out.size()));
    if (got <= 0) return out;
    out.append(buffer, static_cast<std::size_t>(got));
  }
}

File* track(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  File& file = files()[info.st_ino];
  if (file.fd < 0) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    file.fd = libc::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  }
  return &file;
}

void dirty(File* file) {
  if (file == nullptr || file->is_dirty) return;
  file->stable = contents(file->fd);
  file->is_dirty = true;
}

void put_back(const File& file, std::string_view bytes) {
  const std::string path = "/proc/self/fd/" + std::to_string(file.fd);
  const int fd = libc::openat(AT_FDCWD, path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
  (void)!libc::write(fd, bytes.data(), bytes.size());
}

void remove_name(const NameChange& change) {
  if (inode_of(change.path) != change.inode) return;
  if (libc::unlinkat(AT_FDCWD, change.path.c_str(), 0) != 0) {
    libc::unlinkat(AT_FDCWD, change.path.c_str(), AT_REMOVEDIR);
  }
}

void link_name(const std::string& from, const std::string& to) {
  libc::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0);
}

void undo(const NameChange& change, bool both_names) {
  switch (change.kind) {
    case NameChange::Kind::kAdded:
      remove_name(change);
      return;
    case NameChange::Kind::kRemoved:
      link_name(change.kept, change.path);
      return;
    case NameChange::Kind::kRenamed:
      if (inode_of(change.path) == change.inode) link_name(change.path, change.from);
      if (both_names) return;
      remove_name(change);
      if (!change.kept.empty()) link_name(change.kept, change.path);
      return;
    case NameChange::Kind::kExchanged:
      libc::renameat2(AT_FDCWD, change.from.c_str(), AT_FDCWD, change.path.c_str(),
                      RENAME_EXCHANGE);
      return;
    case NameChange::Kind::kRemovedDirectory:
      libc::mkdirat(AT_FDCWD, change.path.c_str(), kFolderMode);
      return;
  }
}

bool touches(const NameChange& change, const std::string& folder) {
  return folder_of(change.path) == folder ||
         (!change.from.empty() && folder_of(change.from) == folder);
}

void forget_names(std::size_t kept, bool both_names) {
  const auto& all = changes();
  for (std::size_t i = all.size(); i > kept; --i) undo(all[i - 1], both_names);
}

void forget_some(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const auto& [inode, file] : files()) {
    if (!file.is_dirty) continue;
    const std::string now = contents(file.fd);
    const auto choice = random() % 3;
    if (choice == 0 && !file.is_poisoned) continue;
    // A growing file may keep the beginning of what was added.
    const bool grew = now.size() > file.stable.size() && now.starts_with(file.stable);
    const std::size_t extra = grew ? random() % (now.size() - file.stable.size() + 1) : 0;
    put_back(file, choice == 1 && grew ? now.substr(0, file.stable.size() + extra) : file.stable);
  }
  const std::size_t count = changes().size();
  forget_names(random() % (count + 1), false);
}

}  // namespace

Before before_open(const std::string& path, int flags) {
  Before before;
  if (!is_wanted()) return before;
  const KeepErrno keep_errno;
  const ino_t inode = inode_of(path);
  before.is_new = (flags & O_CREAT) != 0 && inode == 0;
  if (inode != 0 && (flags & O_TRUNC) != 0) {
    const int fd = libc::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    File* file = track(fd);
    dirty(file);
    // Its old pages are dropped, the lost ones too: what is written from here on counts.
    if (file != nullptr) file->is_poisoned = false;
  }
  return before;
}

void after_open(int fd, const std::string& path, const Before& before) {
  if (!is_wanted() || fd < 0 || !before.is_new) return;
  const KeepErrno keep_errno;
  File* file = track(fd);
  if (file == nullptr) return;
  *file = File{file->fd, true, false, ""};
  after_new_name(path);
}

void before_write(int fd) {
  if (!is_wanted()) return;
  const KeepErrno keep_errno;
  dirty(track(fd));
}

void after_sync(int fd, const std::string& path, bool ok) {
  if (!is_wanted()) return;
  const KeepErrno keep_errno;
  struct stat info {};
  if (::fstat(fd, &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    if (ok) std::erase_if(changes(), [&](const NameChange& c) { return touches(c, path); });
    return;
  }
  const auto found = files().find(info.st_ino);
  if (found == files().end()) return;
  if (!ok) found->second.is_poisoned = true;
  if (ok && !found->second.is_poisoned) found->second.is_dirty = false;
}

void after_sync_of_all(bool ok) {
  if (!is_wanted()) return;
  if (ok) changes().clear();
  for (auto& [inode, file] : files()) {
    if (!ok && file.is_dirty) file.is_poisoned = true;
    if (ok && !file.is_poisoned) file.is_dirty = false;
  }
}

std::string keep(const std::string& path) {
  if (!is_wanted() || inode_of(path) == 0) return "";
  const KeepErrno keep_errno;
  static std::uint64_t sequence = 0;
  std::string kept =
      plan().grave + "/" + std::to_string(::getpid()) + "-" + std::to_string(++sequence);
  link_name(path, kept);
  return kept;
}

void after_new_name(const std::string& path) {
  if (!is_wanted()) return;
  const KeepErrno keep_errno;
  changes().push_back({NameChange::Kind::kAdded, path, "", "", inode_of(path)});
}

void after_removal(const std::string& path, const std::string& kept) {
  if (!is_wanted()) return;
  changes().push_back({NameChange::Kind::kRemoved, path, "", kept, 0});
}

void after_rename(const std::string& from, const std::string& to, const std::string& kept) {
  if (!is_wanted()) return;
  const KeepErrno keep_errno;
  changes().push_back({NameChange::Kind::kRenamed, to, from, kept, inode_of(to)});
}

void after_exchange(const std::string& from, const std::string& to) {
  if (!is_wanted()) return;
  changes().push_back({NameChange::Kind::kExchanged, to, from, "", 0});
}

void after_removed_directory(const std::string& path) {
  if (!is_wanted()) return;
  changes().push_back({NameChange::Kind::kRemovedDirectory, path, "", "", 0});
}

void forget() {
  const std::string& what = plan().forget;
  if (what.starts_with("some:")) {
    forget_some(std::strtoull(what.c_str() + 5, nullptr, 10));
    return;
  }
  if (what == "all" || what == "data") {
    for (const auto& [inode, file] : files()) {
      if (file.is_dirty) put_back(file, file.stable);
    }
  }
  if (what != "data") forget_names(0, what == "both");
}

}  // namespace faults::shadow
