// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/protected_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace filecall::worker::guard {
namespace {

constexpr mode_t kPlaceHolderMode = S_ISVTX | 0555;
/// A name is taken again when another run removes its place holder at this moment.
constexpr int kRacedTries = 100;

bool is_place_holder(const struct stat& info) {
  return S_ISDIR(info.st_mode) && (info.st_mode & 07777) == kPlaceHolderMode &&
         info.st_uid == ::geteuid();
}

/// Nobody with our rights can make the name, so nobody confined can.
bool is_out_of_reach(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENOENT || error == ENOTDIR;
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
  std::string path = content.substr(sizeof kPrefix - 1);
  path.resize(std::min(path.size(), path.find('\n')));
  if (path.empty() || path[0] == '/') return path;
  return folder + "/" + path;
}

StepFailure ProtectedNames::hold(const SandboxOptions& options, const std::string& start) {
  for (const std::string& folder : folders_to_protect(options.roots, start)) {
    for (const std::string& name : options.protect) {
      const std::string path = folder + "/" + name;
      if (const int error = hold_name(path); error != 0) {
        return failed_at(Step::kProtect, error, path.c_str());
      }
      if (name == ".git") add_git_directory(path, options.roots);
    }
  }
  return {};
}

int ProtectedNames::hold_name(const std::string& path) {
  for (int tries = 0; tries < kRacedTries; ++tries) {
    struct stat info {};
    const bool is_there = ::lstat(path.c_str(), &info) == 0;
    if (!is_there && errno != ENOENT) return is_out_of_reach(errno) ? 0 : errno;
    if (is_there && S_ISLNK(info.st_mode)) return ELOOP;
    if (is_there && !is_place_holder(info)) {
      paths_.push_back(path);
      return 0;
    }
    if (!is_there && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return is_out_of_reach(errno) ? 0 : errno;
    }
    if (!is_there) ::chmod(path.c_str(), kPlaceHolderMode);
    bool is_held = false;
    if (const int error = hold_missing(path, &is_held); error != 0) return error;
    if (!is_held) continue;
    paths_.push_back(path);
    return 0;
  }
  return EBUSY;
}

int ProtectedNames::hold_missing(const std::string& path, bool* is_held) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? 0 : errno;
  struct stat info {};
  // Waits only while another run removes it; then it has no name any more.
  if (::flock(fd, LOCK_SH) != 0 || ::fstat(fd, &info) != 0 || info.st_nlink == 0) {
    ::close(fd);
    return 0;
  }
  held_.push_back({path, fd});
  *is_held = true;
  return 0;
}

void ProtectedNames::add_git_directory(const std::string& file,
                                       const std::vector<std::string>& roots) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  char content[4096];
  const ssize_t size = ::read(fd, content, sizeof content);
  ::close(fd);
  if (size <= 0) return;
  const std::string folder = file.substr(0, file.rfind('/'));
  const std::string named =
      git_directory_of(std::string(content, static_cast<std::size_t>(size)), folder);
  char* canonical = named.empty() ? nullptr : ::realpath(named.c_str(), nullptr);
  if (canonical == nullptr) return;
  const std::string directory = canonical;
  ::free(canonical);
  const bool is_writable = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    return directory != root && is_beneath(directory, root);
  });
  // Elsewhere it is not in the sandbox at all, and a file that a tool may have written must not
  // bring it there.
  if (is_writable) paths_.push_back(directory);
}

ProtectedNames::~ProtectedNames() {
  for (const PlaceHolder& holder : held_) {
    if (::flock(holder.fd, LOCK_EX | LOCK_NB) == 0) ::rmdir(holder.path.c_str());
    ::close(holder.fd);
  }
}

}  // namespace filecall::worker::guard
