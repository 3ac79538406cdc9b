// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "worker/proc/guard/report.h"
#include "worker/proc/sandbox/bare_repositories.h"
#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// The names of `SandboxOptions::protect` in each writable root and in each directory from there to
/// the one the program starts in. They are to become read-only mounts; a name that is missing would
/// be free to be made (a `.git` whose settings start programs outside of the sandbox), so it is
/// held by an empty directory while the program runs. That place holder (mode 01555) is removed
/// by the last run that holds it (flock), at the latest by the next run after a guard was killed.
/// Other runs may exchange what lies in these folders meanwhile: each folder is opened once,
/// without following a link below its root, and all that is done there is done by its descriptor.
class ProtectedNames {
 public:
  ProtectedNames() = default;
  /// Gives the names back: removes the place holders that nobody else holds.
  ~ProtectedNames();
  ProtectedNames(const ProtectedNames&) = delete;
  ProtectedNames& operator=(const ProtectedNames&) = delete;

  /// `start`: the directory that the program starts in. A symbolic link under such a name, or on
  /// the way to a directory that git is led to, cannot be protected and is a failure (ELOOP), as is
  /// such a directory that is missing from a root (ENOENT) and a file there that cannot be read.
  /// Where nobody like us may make the name, nothing is held.
  StepFailure hold(const SandboxOptions& options, const std::string& start);

  /// What exists and is to become read-only: of `.git` files also the directory they name, of a
  /// worktree also the directory that it shares with its repository.
  const std::vector<std::string>& paths() const { return paths_; }

  /// The folders in which `.git` is held: a bare repository there would be as good as one.
  const BareRepositories& repositories() const { return repositories_; }

 private:
  struct PlaceHolder {
    Fd folder;
    std::string name;
    Fd directory;
  };
  int hold_name(const Fd& folder, const std::string& name, const std::string& path);
  /// `is_made`: by this run, just now. False: not held, and `error` is 0 where another try may do.
  bool hold_place(const Fd& folder, const std::string& name, bool is_made, int* error);
  int add_git_directories(const Fd& folder, const std::string& path,
                          const std::vector<std::string>& roots);
  /// What a file in `folder` names; `directory`: where it is, "": nowhere. 0 or an errno value.
  int add_named(const std::string& named, const std::string& folder,
                const std::vector<std::string>& roots, std::string* directory);

  std::vector<std::string> paths_;
  std::vector<PlaceHolder> held_;
  BareRepositories repositories_;
};

/// The writable root that holds `start` and the directories below it down to `start`, and every
/// other root. Pure.
std::vector<std::string> folders_to_protect(const std::vector<std::string>& roots,
                                            const std::string& start);

/// What a `.git` file ("gitdir: PATH") names; "" when it is none. Pure.
std::string git_directory_of(const std::string& content);
/// What the file `commondir` of a git directory names (gitrepository-layout(5)). Pure.
std::string git_common_directory_of(const std::string& content);

}  // namespace filecall::worker::guard
