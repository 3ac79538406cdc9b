// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_tree.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <deque>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "worker/exec/file/draft_file.h"

namespace filecall::worker::file {
namespace {

/// EAGAIN: a rename raced with the resolution; the kernel asks to try again.
constexpr int kRacedTries = 16;
constexpr std::string_view kDeleted = " (deleted)";

UniqueFd open_resolved(int root, const std::string& path, int flags, std::uint64_t resolve) {
  struct open_how how {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve;
  long fd = -1;
  for (int tries = 0; tries < kRacedTries; ++tries) {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return UniqueFd(static_cast<int>(fd));
}

Unexpected<Error> not_there(std::string_view pointer, const std::string& name) {
  return fail(ErrorCode::kNotFound,
              fmt::format("{}: '{}': no such file or directory", pointer, name));
}

Unexpected<Error> refusal(int error, std::string_view pointer, const std::string& name) {
  if (error == EXDEV) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: '{}' leads out of its root (file.roots)", pointer, name));
  }
  if (error == ENOENT) return not_there(pointer, name);
  if (error == ENOTDIR) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is, or leads through, something that is no directory",
                            pointer, name));
  }
  if (error == ENXIO || error == ENODEV) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is not a regular file", pointer, name));
  }
  return fail_errno(error, fmt::format("{}: '{}'", pointer, name));
}

/// Whether the request may see the place. A directory above the one that it names is only on the
/// way there.
bool is_in_bounds(const FileRules& rules, const std::string& whole, int flags) {
  const std::string& beneath = rules.config.beneath;
  if (beneath.empty() || is_beneath(whole, beneath)) return true;
  constexpr int kOnTheWay = O_PATH | O_DIRECTORY;
  return (flags & kOnTheWay) == kOnTheWay && is_beneath(beneath, whole);
}

/// Whether an open file lies there.
bool is_at(int fd, const std::string& path) {
  struct stat own {
  }, there{};
  return ::fstat(fd, &own) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

/// Whether a name that a request has written, or one above it, is hidden. ".." takes one off.
bool is_written_hidden(const FileRules& rules, const std::string& root_path,
                       std::string_view below) {
  std::vector<std::size_t> ends;
  std::string path;
  while (!below.empty()) {
    const std::string_view name = take_until(&below, '/');
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      path.resize(ends.empty() ? 0 : ends.back());
      if (!ends.empty()) ends.pop_back();
      continue;
    }
    ends.push_back(path.size());
    if (!path.empty()) path += '/';
    path += name;
    if (rules.hides_last(path, root_path)) return true;
  }
  return false;
}

/// Goes a path name by name, and through links, where opening it at once did not do. Nobody learns
/// from what it says of a later name whether something hidden is there.
class Way {
 public:
  Way(const FileRules& rules, int root, const std::string& root_path, const FilePlace& place,
      std::string_view pointer)
      : rules_(rules), root_(root), root_path_(root_path), place_(place), pointer_(pointer) {}

  /// Where it leads, below the root and without links.
  Result<std::string> follow() {
    put_ahead(place_.below);
    while (!ahead_.empty()) {
      const std::string name = std::move(ahead_.front());
      ahead_.pop_front();
      TRY(step(name));
    }
    return names_.empty() ? std::string(".") : fmt::format("{}", fmt::join(names_, "/"));
  }

 private:
  /// The kernel follows as many in one path.
  static constexpr int kLinksMax = 40;

  void put_ahead(std::string_view path) {
    std::vector<std::string> names;
    while (!path.empty()) {
      const std::string_view name = take_until(&path, '/');
      if (!name.empty()) names.emplace_back(name);
      // A slash at the end wants a directory.
      if (path.empty() && !names.empty() && place_.below.ends_with('/')) names.emplace_back(".");
    }
    ahead_.insert(ahead_.begin(), names.begin(), names.end());
  }

  Result<void> step(const std::string& name) {
    if (name == ".") return {};
    if (name == "..") {
      if (names_.empty()) return refusal(EXDEV, pointer_, place_.below);
      names_.pop_back();
      return {};
    }
    names_.push_back(name);
    const std::string path = fmt::format("{}", fmt::join(names_, "/"));
    if (rules_.hides_last(path, root_path_)) return not_there(pointer_, place_.below);
    const UniqueFd fd(open_resolved(root_, path, O_PATH | O_NOFOLLOW, RESOLVE_NO_SYMLINKS));
    struct stat info {};
    if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) {
      return refusal(errno, pointer_, place_.below);
    }
    if (S_ISLNK(info.st_mode)) return turn(fd.get());
    if (!ahead_.empty() && !S_ISDIR(info.st_mode)) return refusal(ENOTDIR, pointer_, place_.below);
    return {};
  }

  /// Goes on where a link leads.
  Result<void> turn(int link) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(link, "", target, sizeof target);
    if (size < 0) return refusal(errno, pointer_, place_.below);
    if (++links_ > kLinksMax) return refusal(ELOOP, pointer_, place_.below);
    const std::string_view text(target, static_cast<std::size_t>(size));
    if (text.starts_with('/')) return refusal(EXDEV, pointer_, place_.below);
    names_.pop_back();
    put_ahead(text);
    return {};
  }

  const FileRules& rules_;
  int root_;
  const std::string& root_path_;
  const FilePlace& place_;
  std::string_view pointer_;
  std::deque<std::string> ahead_;
  std::vector<std::string> names_;
  int links_ = 0;
};

/// What lies at a place, and where it really lies; nothing is read.
struct Looked {
  UniqueFd fd;
  std::string whole;
};

/// Opens it until it has a name: what was replaced by a rename in this very moment has none any
/// more, or that of a draft, while its successor lies at the place.
Result<Looked> look(const FileRules& rules, int root, const std::string& root_path,
                    const FilePlace& place, std::string_view pointer) {
  if (is_written_hidden(rules, root_path, place.below)) return not_there(pointer, place.below);
  for (int tries = 0; tries <= kRacedTries; ++tries) {
    Looked found{UniqueFd(open_resolved(root, place.below, O_PATH, RESOLVE_NO_SYMLINKS)), {}};
    if (!found.fd.is_open()) {
      TRY_ASSIGN(const std::string path, Way(rules, root, root_path, place, pointer).follow());
      found.fd = UniqueFd(open_resolved(root, path, O_PATH, RESOLVE_NO_SYMLINKS));
      if (!found.fd.is_open()) continue;
    }
    auto whole = place_of_descriptor(found.fd.get());
    const bool is_draft =
        whole && is_own_name(last_name(*whole)) && !is_own_name(last_name(place.below));
    if (!whole || is_draft) continue;
    found.whole = *std::move(whole);
    return found;
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("{}: '{}' is replaced all the time", pointer, place.below));
}

/// Whether a directory, or one above it, is the worker's own.
bool is_own_directory(const FileRules& rules, std::string_view directory, SeenPlaces& seen) {
  if (directory.empty()) return false;
  if (const auto known = seen.own_directories.find(directory);
      known != seen.own_directories.end()) {
    return known->second;
  }
  struct stat info {};
  std::string name(directory);
  bool is_own = ::lstat(name.c_str(), &info) == 0 && rules.is_own_file(info.st_dev, info.st_ino);
  is_own = is_own || is_own_directory(rules, directory.substr(0, directory.rfind('/')), seen);
  seen.own_directories.emplace(std::move(name), is_own);
  return is_own;
}

/// Whether it is, or lies in, what is the worker's own, whatever name leads there (a bind mount, a
/// hard link), or is the kernel's table of processes, which has their environments.
bool is_worker_own(const FileRules& rules, const Looked& looked, const struct stat& info,
                   SeenPlaces& seen) {
  struct statfs system {};
  if (::fstatfs(looked.fd.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC) return true;
  if (rules.is_own_file(info.st_dev, info.st_ino)) return true;
  if (rules.config.own_ids.empty()) return false;
  const std::string_view whole = looked.whole;
  return is_own_directory(rules, whole.substr(0, whole.rfind('/')), seen);
}

Result<const SeenPlaces::Root*> root_of(const FileRules& rules, std::size_t number,
                                        SeenPlaces& seen) {
  if (const auto known = seen.roots.find(number); known != seen.roots.end()) {
    return &known->second;
  }
  const std::string& name = rules.config.roots[number];
  UniqueFd fd(::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, fmt::format("{} (file.roots)", name));
  TRY_ASSIGN(std::string path, place_of_descriptor(fd.get()));
  return &seen.roots.emplace(number, SeenPlaces::Root{std::move(fd), std::move(path)})
              .first->second;
}

}  // namespace

UniqueFd open_without_links(int directory, const std::string& path, int flags) {
  // An O_PATH descriptor takes no other flags, and never waits.
  const int more = (flags & O_PATH) == 0 ? O_NONBLOCK | O_NOCTTY : 0;
  return open_resolved(directory, path, flags | more, RESOLVE_NO_SYMLINKS);
}

std::string OpenPlace::whole() const {
  if (path == ".") return root_path;
  return root_path == "/" ? "/" + path : root_path + "/" + path;
}

Result<std::string> place_of_descriptor(int fd) {
  char target[PATH_MAX];
  const std::string link = fmt::format("/proc/self/fd/{}", fd);
  const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
  if (size < 0) return fail_errno(errno, link);
  std::string text(target, static_cast<std::size_t>(size));
  if (text.size() == sizeof target || !text.starts_with('/')) {
    return fail(ErrorCode::kNotFound, "its place has no name");
  }
  // What is no longer there has this behind its name; so has a file that is called so.
  if (text.ends_with(kDeleted) && !is_at(fd, text)) {
    return fail(ErrorCode::kNotFound, "it was deleted meanwhile");
  }
  return text;
}

std::string name_of(const FileRules& rules, std::size_t root, std::string_view path) {
  if (root == 0) return std::string(path);
  const std::string& directory = rules.config.roots[root];
  if (path == ".") return directory;
  return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", path);
}

Result<OpenPlace> open_place(const FileRules& rules, const FilePlace& place, int flags,
                             std::string_view pointer) {
  SeenPlaces seen;
  return open_place(rules, place, flags, pointer, seen);
}

Result<OpenPlace> open_place(const FileRules& rules, const FilePlace& place, int flags,
                             std::string_view pointer, SeenPlaces& seen) {
  TRY_ASSIGN(const SeenPlaces::Root* root, root_of(rules, place.root, seen));
  OpenPlace found;
  found.root = place.root;
  found.root_path = root->path;
  // Looked at before it is opened: opening a device or a FIFO can have effects of its own.
  TRY_ASSIGN(Looked looked, look(rules, root->fd.get(), found.root_path, place, pointer));
  if (::fstat(looked.fd.get(), &found.info) != 0) return fail_errno(errno, place.below);
  if (!is_beneath(looked.whole, found.root_path)) return refusal(EXDEV, pointer, place.below);
  if (!is_in_bounds(rules, looked.whole, flags)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: '{}' leads out of '{}' (beneath)", pointer, place.below,
                            rules.config.beneath));
  }
  found.path = looked.whole.substr(found.root_path == "/" ? 0 : found.root_path.size());
  found.path = found.path.size() < 2 ? "." : found.path.substr(1);
  // Of what is hidden nobody learns whether it is there.
  if (rules.hides(found.path, found.root_path) || is_worker_own(rules, looked, found.info, seen)) {
    return not_there(pointer, place.below);
  }
  if ((flags & O_DIRECTORY) != 0 && !S_ISDIR(found.info.st_mode)) {
    return refusal(ENOTDIR, pointer, place.below);
  }
  if ((flags & O_PATH) != 0) {
    found.fd = std::move(looked.fd);
    return found;
  }
  if (!S_ISREG(found.info.st_mode) && !S_ISDIR(found.info.st_mode)) {
    return refusal(ENXIO, pointer, place.below);
  }
  // The very file that was looked at, whatever lies under the name by now.
  const std::string itself = fmt::format("/proc/self/fd/{}", looked.fd.get());
  found.fd = UniqueFd(::open(itself.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!found.fd.is_open()) return refusal(errno, pointer, place.below);
  return found;
}

}  // namespace filecall::worker::file
