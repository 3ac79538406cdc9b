// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/protected_names.h"

#include <fcntl.h>
#include <linux/openat2.h>
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
bool is_place_holder(const struct stat& info) {
  return S_ISDIR(info.st_mode) && (info.st_mode & 05777) == kPlaceHolderMode &&
         info.st_uid == ::geteuid();
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

/// The beginning of a regular file of a folder; "" for anything else.
std::string read_start(int folder, const char* name) {
  const Fd file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  char content[4096];
  const ssize_t size = ::read(file.get(), content, sizeof content);
  return size <= 0 ? "" : std::string(content, static_cast<std::size_t>(size));
}

std::string first_line(std::string text) {
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

std::string beneath_unless_absolute(const std::string& path, const std::string& folder) {
  return path.empty() || path[0] == '/' ? path : folder + "/" + path;
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

std::string git_directory_of(const std::string& content, const std::string& folder) {
  constexpr char kPrefix[] = "gitdir: ";
  if (content.rfind(kPrefix, 0) != 0) return "";
  return beneath_unless_absolute(first_line(content.substr(sizeof kPrefix - 1)), folder);
}

std::string git_common_directory_of(const std::string& content, const std::string& directory) {
  return beneath_unless_absolute(first_line(content), directory);
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
      if (name == ".git") add_git_directories(folder, path, options.roots);
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
    if (!is_there) {
      // At once with its mode: another run takes what has none of a place holder for a directory
      // that stays.
      const mode_t mask = ::umask(0);
      const int made = ::mkdirat(folder.get(), name.c_str(), kPlaceHolderMode);
      const int error = errno;
      ::umask(mask);
      if (made != 0 && error != EEXIST) return is_out_of_reach(error) ? 0 : error;
    }
    int error = 0;
    if (hold_place(folder, name, &error)) {
      paths_.push_back(path);
      return 0;
    }
    if (error != 0) return error;
  }
  return EBUSY;
}

bool ProtectedNames::hold_place(const Fd& folder, const std::string& name, int* error) {
  Fd directory(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.is_open()) {
    const bool is_exchanged = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    *error = is_exchanged ? 0 : errno;
    return false;
  }
  struct stat info {};
  // Waits only while another run removes it; then it has no name any more.
  if (::flock(directory.get(), LOCK_SH) != 0 || ::fstat(directory.get(), &info) != 0 ||
      info.st_nlink == 0 || info.st_uid != ::geteuid()) {
    return false;
  }
  // The folder's default ACL may have taken bits away.
  if (!is_place_holder(info) && ::fchmod(directory.get(), kPlaceHolderMode) != 0) {
    *error = errno;
    return false;
  }
  Fd kept(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 3));
  if (!kept.is_open()) {
    *error = errno;
    return false;
  }
  held_.push_back({std::move(kept), name, std::move(directory)});
  return true;
}

void ProtectedNames::add_git_directories(const Fd& folder, const std::string& path,
                                         const std::vector<std::string>& roots) {
  std::string directory = path + "/.git";
  const std::string named = git_directory_of(read_start(folder.get(), ".git"), path);
  if (!named.empty() && !add_if_writable(named, roots, &directory)) return;
  const Fd git(::openat(folder.get(), directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!git.is_open()) return;
  const std::string common = git_common_directory_of(read_start(git.get(), "commondir"), directory);
  std::string shared;
  if (!common.empty()) add_if_writable(common, roots, &shared);
}

/// False: there is no such directory. `directory`: where it is.
bool ProtectedNames::add_if_writable(const std::string& named,
                                     const std::vector<std::string>& roots,
                                     std::string* directory) {
  char* canonical = ::realpath(named.c_str(), nullptr);
  if (canonical == nullptr) return false;
  *directory = canonical;
  ::free(canonical);
  const bool is_writable = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    return *directory != root && is_beneath(*directory, root);
  });
  // Elsewhere it is not in the sandbox at all, and a file that a tool may have written must not
  // bring it there.
  if (is_writable) paths_.push_back(*directory);
  return true;
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
