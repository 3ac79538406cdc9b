// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/protected_names.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace filecall::worker::guard {
namespace {

constexpr mode_t kPlaceHolderMode = S_ISVTX | 0555;
/// A name is taken again when another run removes its place holder at this moment.
constexpr int kRacedTries = 100;

/// A folder's set-group-ID bit comes down to what is made in it.
/// By any maker: another worker may serve the same folder as another user.
bool is_place_holder(const struct stat& info) {
  return S_ISDIR(info.st_mode) && (info.st_mode & 05777) == kPlaceHolderMode;
}

/// Nobody with our rights can make the name, so nobody confined can.
bool is_out_of_reach(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENOENT || error == ENOTDIR;
}

/// Opens a folder that is a root or lies beneath one. Other runs can exchange what lies beneath a
/// root, and not the way to the outermost: from there on no link is followed.
Fd open_folder(const std::vector<std::string>& roots, const std::string& folder) {
  const std::string* outermost = nullptr;
  for (const std::string& root : roots) {
    const bool is_wider = outermost == nullptr || root.size() < outermost->size();
    if (is_beneath(folder, root) && is_wider) outermost = &root;
  }
  if (outermost == nullptr) return errno = ENOENT, Fd();
  Fd root(::open(outermost->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open() || folder.size() == outermost->size()) return root;
  const std::size_t below = *outermost == "/" ? 1 : outermost->size() + 1;
  return Fd(open_in(root.get(), folder.c_str() + below, O_DIRECTORY, RESOLVE_NO_SYMLINKS));
}

/// The beginning of a regular file of a folder; "" when there is none. 0 or an errno value: what
/// cannot be read may say anything.
int read_start(int folder, const char* name, std::string* content) {
  const Fd file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  // Git follows a link here, and so does not what a sandbox protects: a link is an error.
  if (!file.is_open()) return errno == ENOENT || errno == ENOTDIR || errno == EISDIR ? 0 : errno;
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return 0;
  char start[8192];
  const ssize_t size = ::read(file.get(), start, sizeof start);
  if (size < 0) return errno;
  content->assign(start, static_cast<std::size_t>(size));
  return 0;
}

/// As git reads it (read_gitfile_gently(), get_common_dir_noenv()).
std::string without_line_end(std::string text) {
  text.erase(text.find_last_not_of("\r\n") + 1);
  return text;
}

/// `path` from `folder` on. ".." at its beginning leads up from a folder that is protected itself;
/// later, it would come back from a name that may be exchanged for a link: then "".
std::string followed_from(const std::string& path, const std::string& folder) {
  std::string out = path[0] == '/' ? "" : folder;
  bool has_name = path[0] == '/';
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      out += "/" + part;
      has_name = true;
      continue;
    }
    if (has_name) return "";
    out.resize(out.empty() ? 0 : out.rfind('/'));
  }
  return out.empty() ? "/" : out;
}

bool is_in_any(const std::string& path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return is_beneath(path, root); });
}

}  // namespace

std::vector<std::string> folders_to_protect(const std::vector<std::string>& roots,
                                            const std::string& start) {
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    folders.push_back(root);
    if (!is_beneath(start, root) || start.size() == root.size()) continue;
    for (std::size_t slash = start.find('/', root.size() + 1); slash != std::string::npos;
         slash = start.find('/', slash + 1)) {
      folders.push_back(start.substr(0, slash));
    }
    folders.push_back(start);
  }
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

std::string git_directory_of(const std::string& content) {
  constexpr char kPrefix[] = "gitdir: ";
  return content.rfind(kPrefix, 0) == 0 ? without_line_end(content.substr(sizeof kPrefix - 1)) : "";
}

std::string git_common_directory_of(const std::string& content) {
  return without_line_end(content);
}

StepFailure ProtectedNames::hold(const SandboxOptions& options, const std::string& start) {
  for (const std::string& path : folders_to_protect(options.roots, start)) {
    const Fd folder = open_folder(options.roots, path);
    if (!folder.is_open()) {
      if (is_out_of_reach(errno)) continue;
      return failed_at(Step::kProtect, errno, path.c_str());
    }
    for (const std::string& name : options.protect) {
      const std::string named = path + "/" + name;
      if (const int error = hold_name(folder, name, named); error != 0) {
        return failed_at(Step::kProtect, error, named.c_str());
      }
      if (name != ".git") continue;
      if (const int error = add_git_directories(folder, path, options.roots); error != 0) {
        return failed_at(Step::kProtect, error, named.c_str());
      }
      repositories_.watch(folder, path);
    }
  }
  return {};
}

int ProtectedNames::hold_name(const Fd& folder, const std::string& name, const std::string& path) {
  for (int tries = 0; tries < kRacedTries; ++tries) {
    struct stat info {};
    const bool is_there = ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && errno != ENOENT) return is_out_of_reach(errno) ? 0 : errno;
    if (is_there && S_ISLNK(info.st_mode)) return ELOOP;
    if (is_there && !is_place_holder(info)) {
      paths_.push_back(path);
      return 0;
    }
    bool is_made = false;
    if (!is_there) {
      // At once with its mode: another run takes what has none of a place holder for a directory
      // that stays.
      const mode_t mask = ::umask(0);
      const int made = ::mkdirat(folder.get(), name.c_str(), kPlaceHolderMode);
      const int error = errno;
      ::umask(mask);
      is_made = made == 0;
      if (!is_made && error != EEXIST) return is_out_of_reach(error) ? 0 : error;
    }
    int error = 0;
    if (hold_place(folder, name, is_made, &error)) {
      paths_.push_back(path);
      return 0;
    }
    if (error != 0) return error;
  }
  return EBUSY;
}

bool ProtectedNames::hold_place(const Fd& folder, const std::string& name, bool is_made,
                                int* error) {
  Fd directory(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.is_open()) {
    const bool is_exchanged = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    *error = is_exchanged ? 0 : errno;
    return false;
  }
  struct stat info {};
  // Locked while another run removes it: then it has no name any more. A tool that locks one of its
  // own keeps later runs from starting, and does not make them wait.
  if (::flock(directory.get(), LOCK_SH | LOCK_NB) != 0) {
    ::sched_yield();
    return false;
  }
  if (::fstat(directory.get(), &info) != 0 || info.st_nlink == 0) return false;
  if (!is_place_holder(info)) {
    // Something that stays has taken its place: it is looked at again.
    if (!is_made) return false;
    // The folder's default ACL has taken bits away.
    if (::fchmod(directory.get(), kPlaceHolderMode) != 0) {
      *error = errno;
      return false;
    }
  }
  Fd kept(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 3));
  if (!kept.is_open()) {
    *error = errno;
    return false;
  }
  held_.push_back({std::move(kept), name, std::move(directory)});
  return true;
}

int ProtectedNames::add_git_directories(const Fd& folder, const std::string& path,
                                        const std::vector<std::string>& roots) {
  std::string content;
  if (const int error = read_start(folder.get(), ".git", &content); error != 0) return error;
  std::string directory = path + "/.git";
  if (const std::string named = git_directory_of(content); !named.empty()) {
    if (const int error = add_named(named, path, roots, &directory); error != 0) return error;
    if (directory.empty()) return 0;
  }
  const Fd git(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!git.is_open()) return 0;
  content.clear();
  if (const int error = read_start(git.get(), "commondir", &content); error != 0) return error;
  const std::string common = git_common_directory_of(content);
  std::string shared;
  return common.empty() ? 0 : add_named(common, directory, roots, &shared);
}

int ProtectedNames::add_named(const std::string& named, const std::string& folder,
                              const std::vector<std::string>& roots, std::string* directory) {
  const std::string path = followed_from(named, folder);
  if (path.empty()) return ELOOP;
  char* const canonical = ::realpath(path.c_str(), nullptr);
  const int error = errno;
  directory->assign(canonical == nullptr ? "" : canonical);
  ::free(canonical);
  if (is_in_any(path, roots)) {
    // A tool could make it, or lead the way to it elsewhere.
    if (directory->empty()) return error;
    if (*directory != path) return ELOOP;
  }
  const bool is_a_root = std::find(roots.begin(), roots.end(), *directory) != roots.end();
  // Elsewhere it is not in the sandbox at all, and a file that a tool may have written must not
  // bring it there.
  if (!directory->empty() && !is_a_root && is_in_any(*directory, roots)) {
    paths_.push_back(*directory);
  }
  return 0;
}

ProtectedNames::~ProtectedNames() {
  for (const PlaceHolder& holder : held_) {
    struct stat ours {};
    struct stat named {};
    const bool is_ours =
        ::flock(holder.directory.get(), LOCK_EX | LOCK_NB) == 0 &&
        ::fstat(holder.directory.get(), &ours) == 0 &&
        ::fstatat(holder.folder.get(), holder.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
    if (is_ours) ::unlinkat(holder.folder.get(), holder.name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace filecall::worker::guard
