// SPDX-License-Identifier: MIT
#include "worker/file_check.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "worker/exec/file/file_rules.h"
#include "worker/exec/git/repository_check.h"
#include "worker/file_setup.h"

namespace filecall::worker {
namespace {

namespace fs = std::filesystem;

/// Names in a directory that are looked at for repositories.
constexpr int kNamesMax = 1000;

struct FileSystemType {
  unsigned long type;
  std::string_view name;
};
// The numbers are in linux/magic.h and, for some file systems, only in their own sources.
constexpr FileSystemType kNoExchange[] = {{0x6969, "nfs"},      {0xFF534D42, "cifs"},
                                          {0xFE534D42, "smb2"}, {0x01021997, "9p"},
                                          {0x65735546, "fuse"}, {0x4D44, "fat"}};
constexpr FileSystemType kInMemory[] = {{0x01021994, "tmpfs"}, {0x858458F6, "ramfs"}};

/// The name of its file system, when it is one of these.
template <std::size_t kCount>
std::optional<std::string_view> type_among(const FileSystemType (&types)[kCount],
                                           const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return std::nullopt;
  const auto number = static_cast<unsigned long>(info.f_type) & 0xFFFFFFFFUL;
  const auto* const found = std::ranges::find(types, number, &FileSystemType::type);
  if (found == std::end(types)) return std::nullopt;
  return found->name;
}

bool may(const std::string& path, int mode) {
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

bool is_directory(const std::string& path) {
  std::error_code status;
  return fs::is_directory(path, status);
}

class FileChecker {
 public:
  FileChecker(const file::FileConfig& config, const std::vector<std::string>& request_roots)
      : config_(config), request_roots_(request_roots) {}

  FileCheck check() {
    out_.problems = missing_file_roots(config_);
    for (const std::string& root : config_.roots) {
      if (is_directory(root) && !may(root, R_OK | X_OK)) {
        problem("file.roots", root, fmt::format("the worker may not read it ({})", user()));
      }
    }
    for (const std::string& path : config_.writable) {
      if (is_directory(path)) check_writable(path);
    }
    check_records();
    check_repositories();
    return std::move(out_);
  }

 private:
  static std::string user() {
    return fmt::format("it runs as user {}", static_cast<unsigned>(::geteuid()));
  }
  void problem(std::string_view setting, const std::string& path, std::string_view what) {
    out_.problems.push_back(fmt::format("{}: {}: {}", setting, path, what));
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  void check_writable(const std::string& path) {
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) == 0 && (info.f_flag & ST_RDONLY) != 0) {
      problem("file.writable", path, "its file system is mounted read-only");
    } else if (!may(path, W_OK | X_OK)) {
      problem("file.writable", path, fmt::format("the worker may not write there ({})", user()));
    }
    if (const auto type = type_among(kNoExchange, path)) {
      note(
          fmt::format("file.writable: {} lies on {}, where two names may not be exchanged "
                      "(renameat2(2)): file.apply may refuse updates there; file.edit does not",
                      path, *type));
    }
  }

  /// What is recorded of a change is gone after a power cut, and the changed files are not.
  void check_records() {
    const bool has_disk = std::ranges::any_of(config_.writable, [](const std::string& path) {
      return is_directory(path) && !type_among(kInMemory, path);
    });
    if (!has_disk) return;
    for (const std::string& root : request_roots_) {
      const auto type = type_among(kInMemory, root);
      if (!type) continue;
      note(
          fmt::format("the root {} lies in memory ({}) and file.writable does not: after a power "
                      "cut nobody knows what a file.apply or git.commit that it cut off has "
                      "changed; put the root on a disk",
                      root, *type));
    }
  }

  void check_repositories() {
    if (config_.roots.empty()) return;
    const auto rules = file::FileRules::compile(config_);
    if (!rules) return;  // Said elsewhere.
    for (const std::string& root : config_.roots) {
      check_repository(*rules, root);
      std::error_code status;
      int names = 0;
      for (fs::directory_iterator at(root, status), end; !status && at != end;
           at.increment(status)) {
        if (++names > kNamesMax) break;
        std::error_code ignored;
        if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
          check_repository(*rules, at->path().string());
        }
      }
    }
  }

  void check_repository(const file::FileRules& rules, const std::string& path) {
    const std::string directory = path + "/.git";
    struct stat info {};
    if (::lstat(directory.c_str(), &info) != 0 || !seen_.insert(path).second) return;
    if (const auto taken = git::check_repository(rules, path); !taken) {
      return note(fmt::format("git.* refuse the repository {}: {}", path, taken.error().message));
    }
    const bool is_writable = std::ranges::any_of(config_.writable, [&](const std::string& place) {
      return file::is_beneath(directory, place);
    });
    if (!is_writable) return;
    if (!may(directory, W_OK)) {
      return note(
          fmt::format("git.commit, git.branch and git.worktree change nothing in {}: the "
                      "worker may not write into its .git ({})",
                      path, user()));
    }
    if (info.st_uid == ::geteuid()) return;
    note(
        fmt::format("the repository {} belongs to user {}, and the worker to user {}: what git.* "
                    "write there may be in the way of the owner's git, and git itself refuses "
                    "the worker's user there (safe.directory)",
                    path, info.st_uid, ::geteuid()));
  }

  const file::FileConfig& config_;
  const std::vector<std::string>& request_roots_;
  FileCheck out_;
  std::set<std::string> seen_;
};

}  // namespace

FileCheck check_files(const file::FileConfig& config,
                      const std::vector<std::string>& request_roots) {
  return FileChecker(config, request_roots).check();
}

}  // namespace filecall::worker
