// SPDX-License-Identifier: MIT
#include "worker/exec/git/worktree_notes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/io.h"
#include "worker/exec/git/remove_tree.h"

namespace filecall::worker::git {
namespace {

constexpr int kNamesTried = 1000;
constexpr char kNotes[] = "worktrees";
constexpr char kGitdirNote[] = "gitdir";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

Result<UniqueFd> open_directory(int parent, const std::string& name) {
  UniqueFd fd = file::open_without_links(parent, name, O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) return fail_errno(errno, fmt::format("'{}' in .git", name));
  return fd;
}

Result<void> write_new(int directory, const char* name, std::string_view text) {
  constexpr mode_t kMode = 0666;
  const UniqueFd fd(
      ::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  if (!fd.is_open()) return fail_errno(errno, name);
  TRY(write_all(fd.get(), text, name));
  if (::fsync(fd.get()) != 0) return fail_errno(errno, name);
  return {};
}

/// A new directory for the notes; its name.
Result<std::string> make_notes(int worktrees, const std::string& base) {
  for (int number = 0; number < kNamesTried; ++number) {
    std::string name = number == 0 ? base : fmt::format("{}{}", base, number);
    if (::mkdirat(worktrees, name.c_str(), 0777) == 0) return name;
    if (errno != EEXIST) return fail_errno(errno, "'worktrees' in .git");
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("/params/path: there are too many worktrees called '{}'", base));
}

/// git looks at a worktree once its notes have "gitdir", so that this comes last and at once: what
/// is killed before leaves notes that git passes over and prunes.
Result<void> write_gitdir(int notes, std::string_view text) {
  constexpr char kUnfinished[] = "gitdir.lock";
  TRY(write_new(notes, kUnfinished, text));
  if (::fsync(notes) != 0 || ::renameat(notes, kUnfinished, notes, kGitdirNote) != 0) {
    return fail_errno(errno, kGitdirNote);
  }
  return {};
}

Result<void> remove_notes(int worktrees, const std::string& name) {
  // First what makes git look at the rest.
  (void)::unlinkat(worktrees, fmt::format("{}/{}", name, kGitdirNote).c_str(), 0);
  return remove_tree(worktrees, name);
}

Result<void> fill_notes(int notes, const file::ChangePlace& place, const std::string& notes_path,
                        const Location& location, const std::string& branch) {
  TRY(write_new(notes, "commondir", "../..\n"));
  TRY(write_new(notes, "HEAD", fmt::format("ref: {}\n", branch)));
  TRY_ASSIGN(const UniqueFd worktree, open_directory(place.directory.fd.get(), place.name));
  TRY(write_new(worktree.get(), ".git", fmt::format("gitdir: {}\n", notes_path)));
  TRY(write_gitdir(notes, fmt::format("{}/.git\n", location.whole())));
  if (::fsync(worktree.get()) != 0 || ::fsync(notes) != 0) return fail_errno(errno, "a worktree");
  return {};
}

}  // namespace

std::string notes_name(std::string_view directory) {
  std::string name(directory);
  std::ranges::replace_if(
      name, [](char c) { return !is_plain(c); }, '-');
  while (name.starts_with('.') || name.starts_with('-')) name.erase(0, 1);
  while (name.ends_with('.')) name.pop_back();
  return name.empty() ? "worktree" : name;
}

Result<std::string> write_worktree_notes(const OpenRepository& repository, const Location& location,
                                         const file::ChangePlace& place,
                                         const std::string& branch) {
  const file::OpenPlace& common = repository.layout.common;
  if (::mkdirat(common.fd.get(), kNotes, 0777) != 0 && errno != EEXIST) {
    return fail_errno(errno, "'worktrees' in .git");
  }
  TRY_ASSIGN(const UniqueFd worktrees, open_directory(common.fd.get(), kNotes));
  TRY_ASSIGN(std::string name, make_notes(worktrees.get(), notes_name(place.name)));
  TRY_ASSIGN(const UniqueFd notes, open_directory(worktrees.get(), name));
  const std::string path = fmt::format("{}/{}/{}", common.whole(), kNotes, name);
  if (auto filled = fill_notes(notes.get(), place, path, location, branch); !filled) {
    (void)remove_notes(worktrees.get(), name);
    return Unexpected(std::move(filled).error());
  }
  if (::fsync(worktrees.get()) != 0) return fail_errno(errno, "'worktrees' in .git");
  return name;
}

Result<void> remove_worktree_notes(const OpenRepository& repository, const std::string& name) {
  TRY_ASSIGN(const UniqueFd worktrees, open_directory(repository.layout.common.fd.get(), kNotes));
  TRY(remove_notes(worktrees.get(), name));
  // git removes the directory with the last of them.
  (void)::unlinkat(repository.layout.common.fd.get(), kNotes, AT_REMOVEDIR);
  return {};
}

}  // namespace filecall::worker::git
