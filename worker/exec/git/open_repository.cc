// SPDX-License-Identifier: MIT
#include "worker/exec/git/open_repository.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <git2/sys/repository.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/take_until.h"
#include "base/time.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/repository_parts.h"
#include "worker/exec/git/settings_reader.h"

namespace filecall::worker::git {
namespace {

using file::FileRules;
using file::OpenPlace;

Unexpected<Error> refusal(ErrorCode code, std::string_view what) {
  return fail(code, fmt::format("{}: {}", kRepositoryPointer, what));
}

Result<void> check_may_change(const FileRules& rules, const RepositoryLayout& layout) {
  std::vector<const OpenPlace*> parts = {&layout.directory, &layout.common};
  if (!layout.is_bare()) parts.push_back(&layout.worktree);
  for (const OpenPlace* part : parts) {
    if (file::is_beneath_writable(rules, part->whole())) continue;
    return refusal(ErrorCode::kPermissionDenied,
                   fmt::format("'{}' is beneath none of {} (file.writable), which must cover the "
                               "files of a repository and its .git",
                               file::name_of(rules, part->root, part->path),
                               fmt::join(rules.config.writable, ", ")));
  }
  if (!layout.is_bare() && rules.protects(layout.worktree.path, layout.worktree.root_path)) {
    return refusal(ErrorCode::kPermissionDenied, "its files are protected (file.protected)");
  }
  if (layout.link.empty()) return {};
  return refusal(
      ErrorCode::kPermissionDenied,
      fmt::format("'{}' in its .git is a link: nothing is written through links", layout.link));
}

std::vector<Location> places_of(const std::vector<KnownWorktree>& worktrees,
                                const RepositoryLayout& layout) {
  std::vector<Location> places;
  if (!layout.is_bare()) places.push_back(location_of(layout.worktree));
  for (const KnownWorktree& worktree : worktrees) {
    if (worktree.place) places.push_back(*worktree.place);
  }
  return places;
}

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.find('\0') != path.npos) return false;
  while (!path.empty()) {
    const std::string_view name = take_until(&path, '/');
    if (name.empty() || name == "." || name == "..") return false;
  }
  return true;
}

/// Whether all of a repository lies in the bounds of the request, or its files alone do, as in a
/// worktree that git made: its notes, which lie elsewhere, lead back to it. A user who writes
/// in the bounds can write a gitfile there that leads to any other repository; no notes lead back.
Result<void> check_is_in_bounds(const file::FileJob& job, const RepositoryLayout& layout) {
  const std::string& bounds = job.rules.config.beneath;
  if (bounds.empty()) return {};
  const auto is_inside = [&](const OpenPlace& place) {
    return file::is_beneath(place.whole(), bounds);
  };
  const auto leads_out = [&](std::string_view part) {
    return refusal(ErrorCode::kPermissionDenied,
                   fmt::format("{} leads out of '{}' (beneath)", part, bounds));
  };
  if (!is_inside(layout.top)) return leads_out("it");
  if (!layout.is_bare() && !is_inside(layout.worktree)) return leads_out("its core.worktree");
  if (is_inside(layout.directory)) {
    if (!is_inside(layout.common)) return leads_out("its commondir");
    // The same looks as before, within the bounds: at links in it, and at other objects.
    std::string link;
    TRY(check_repository_parts(job.rules, layout.common, link));
    TRY(check_repository_parts(job.rules, layout.directory, link));
    return check_alternates(job.rules, layout.common);
  }
  if (!layout.is_linked || layout.is_bare()) return leads_out("its .git");
  TRY_ASSIGN(const std::string gitfile, read_small_file(job.all_rules, layout.directory, "gitdir"));
  const auto back = open_in_roots(job.all_rules, gitfile, layout.directory.whole(), O_PATH,
                                  "the way back from its .git");
  if (!back || back->whole() != layout.worktree.whole() + "/.git") return leads_out("its .git");
  return {};
}

}  // namespace

std::string OpenRepository::name() const {
  return file::name_of(*rules, layout.top.root, layout.top.path);
}

Result<RepositoryHandle> open_layout(const RepositoryLayout& layout, bool has_worktree) {
  const std::string what(kRepositoryPointer);
  RepositoryHandle handle;
  // Reads no configuration: neither includes nor core.worktree count.
  int status = ::git_repository_open_bare(Out(handle), layout.directory.whole().c_str());
  if (status < 0) return git_failed(status, what);
  TRY_ASSIGN(const ConfigHandle config, make_config(layout.settings));
  status = ::git_repository_set_config(handle.get(), config.get());
  if (status < 0) return git_failed(status, what);
  if (has_worktree) {
    status = ::git_repository_set_workdir(handle.get(), layout.worktree.whole().c_str(), 0);
    if (status < 0) return git_failed(status, what);
  }
  const auto is_at = [](const char* found, const OpenPlace& place) {
    return found != nullptr && std::string_view(found) == place.whole() + "/";
  };
  if (!is_at(::git_repository_path(handle.get()), layout.directory) ||
      !is_at(::git_repository_commondir(handle.get()), layout.common) ||
      (has_worktree && !is_at(::git_repository_workdir(handle.get()), layout.worktree))) {
    return refusal(ErrorCode::kPermissionDenied,
                   "its directories lead elsewhere than their names say (a link, or somebody "
                   "replaces them)");
  }
  return handle;
}

Result<OpenRepository> open_repository(const file::FileJob& job, Use use) {
  prepare_git_library();
  TRY_ASSIGN(RepositoryLayout layout,
             find_repository(job.all_rules, file::text_param(job.params, "repository", ".")));
  TRY(check_is_in_bounds(job, layout));
  const bool has_worktree = use == Use::kWorktree || (use == Use::kChange && !layout.is_bare());
  if (use == Use::kWorktree && layout.is_bare()) {
    return refusal(ErrorCode::kFailedPrecondition, "a bare repository has no files");
  }
  file::PlaceLocks::Held lock;
  if (use == Use::kChange) {
    TRY(check_may_change(job.all_rules, layout));
    const struct stat& common = layout.common.info;
    lock = file::PlaceLocks::of_process().hold({{common.st_dev, common.st_ino, ".git"}});
  }
  if (has_worktree) TRY(check_worktree_parts(job.all_rules, layout.worktree));
  TRY_ASSIGN(RepositoryHandle handle, open_layout(layout, has_worktree));
  TRY_ASSIGN(auto worktrees, list_worktrees(job.all_rules, layout));
  HiddenNames hidden(job.all_rules, places_of(worktrees, layout));
  return OpenRepository{&job.all_rules,       std::move(layout), std::move(handle),
                        std::move(worktrees), std::move(hidden), std::move(lock)};
}

Result<void> check_is_quiet(const OpenRepository& repository) {
  if (repository.layout.is_bare()) {
    return refusal(ErrorCode::kFailedPrecondition, "a bare repository has no files");
  }
  if (::git_repository_state(repository.get()) != GIT_REPOSITORY_STATE_NONE) {
    return refusal(ErrorCode::kFailedPrecondition,
                   "git is in the midst of a merge, a rebase or the like there (see git.status); "
                   "end it with git first");
  }
  const UniqueFd lock = file::open_without_links(repository.layout.directory.fd.get(), "index.lock",
                                                 O_PATH | O_NOFOLLOW);
  if (!lock.is_open()) return {};
  struct stat info {};
  if (::fstat(lock.get(), &info) != 0) return fail_errno(errno, kRepositoryPointer);
  return refusal(
      ErrorCode::kUnavailable,
      fmt::format("another program changes its index, or died there (index.lock is there since "
                  "{}); try again, and remove the file when no git runs",
                  format_rfc3339(WallTime(seconds(info.st_mtim.tv_sec)))));
}

Result<std::vector<std::string>> checked_paths(const OpenRepository& repository,
                                               const std::vector<std::string>& paths,
                                               std::string_view pointer) {
  std::vector<std::string> out;
  for (std::string path : paths) {
    if (path == "." || path == "./") return std::vector<std::string>();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (!is_plain_path(path)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: '{}' is no path that counts from the repository's top, without "
                              "'.' and '..'",
                              pointer, path));
    }
    if (repository.hidden.hides(path)) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{}: '{}': no such file or directory", pointer, path));
    }
    out.push_back(std::move(path));
  }
  return out;
}

}  // namespace filecall::worker::git
