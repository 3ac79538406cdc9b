// SPDX-License-Identifier: MIT
#include "spool/root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/log.h"
#include "os/accounts.h"
#include "os/io.h"
#include "spool/group_root.h"

namespace filecall::spool {
namespace {

Result<void> check_ownership(const UniqueFd& fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: belongs to {}, who could read and forge requests; choose another "
                            "--root, or accept it with --allow-shared-root",
                            path, user_label(info.st_uid)));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: others may write to it (mode {:04o}); run 'chmod 0700 {}', or "
                            "accept it with --allow-shared-root",
                            path, info.st_mode & 07777u, path));
  }
  return {};
}

/// A user who may write to a directory renames what lies in it, and puts something else in its
/// place, unless its sticky bit leaves that to the owners. Not all that the programs do in a root
/// goes by descriptors (SQLite takes names): the folders must stay where they are while they are
/// used.
Result<void> check_names_stay(const UniqueFd& fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (info.st_mode & S_ISVTX) != 0) return {};
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{}: others may write to it (mode {:04o}), and could put a directory of "
                          "theirs in the place of one of yours while it is used; run 'chmod +t {}'",
                          path, info.st_mode & 07777u, path));
}

/// A directory of a root; those that hold others stand before them.
struct Folder {
  std::string_view parent;  ///< Empty: the root.
  std::string_view name;
  UniqueFd Directories::*place = nullptr;  ///< Where it stays open; null: only looked at.
  bool is_made = true;                     ///< It is made when a root is opened to be used.

  std::string path(const Layout& layout) const {
    return fmt::format("{}{}{}/{}", layout.root(), parent.empty() ? "" : "/", parent, name);
  }
};

constexpr Folder kFolders[] = {
    {"", "requests", &Directories::requests},
    {"", "responses", &Directories::responses},
    {"", "failed", &Directories::failed},
    {"", "eval"},
    {"", "events"},
    {"", "runs"},
    {"", "paused"},
    {"", "threads", nullptr, false},
    {"threads", "data", nullptr, false},
    {"threads", "runs", nullptr, false},
    {"", "approvals", nullptr, false},
    {"approvals", "requests", nullptr, false},
    {"approvals", "responses", nullptr, false},
    {"approvals", "refused", nullptr, false},
    {"", "proposals", nullptr, false},
    {"", "worker", &Directories::worker},
    {"", "client"},
    {"worker", "tmp", &Directories::worker_tmp},
    {"worker", "started", &Directories::worker_started},
    {"worker", "late", &Directories::worker_late},
    {"worker", "journal", &Directories::worker_journal},
    {"client", "tmp", &Directories::client_tmp},
    {"client", "locks"},
    {"client", "runs", nullptr, false},
    {"client", "answers", nullptr, false},
    {"client", "batches", nullptr, false},
};

/// Opens a directory of the root without following a link: anyone who put one there chooses where
/// it leads, and what lies there is not the root's.
Result<UniqueFd> open_folder(int parent, const Folder& folder, const Layout& layout, int flags) {
  const std::string name(folder.name);
  int fd = -1;
  do {
    fd = ::openat(parent, name.c_str(), flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) return UniqueFd(fd);
  const int why = errno;
  struct stat info {};
  if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is a symbolic link, which may lead out of the root and is not "
                            "followed; put a directory there (of another disk: mount --bind)",
                            folder.path(layout)));
  }
  return fail_errno(why, folder.path(layout));
}

/// What was opened of the directories that hold others.
struct Parents {
  UniqueFd worker;
  UniqueFd client;
  UniqueFd threads;
  UniqueFd approvals;
  /// Null: it holds no others.
  UniqueFd* of(std::string_view name) {
    if (name == "worker") return &worker;
    if (name == "client") return &client;
    if (name == "threads") return &threads;
    return name == "approvals" ? &approvals : nullptr;
  }
};

/// A directory of the root that others may write to is as open as an open root, and a link is one
/// to nowhere. Before anything is made in any of them.
Result<void> check_directories(const UniqueFd& root, const Layout& layout, bool allow_shared) {
  Parents parents;
  for (const Folder& folder : kFolders) {
    const UniqueFd& parent = folder.parent.empty() ? root : *parents.of(folder.parent);
    if (!parent.is_open()) continue;
    auto fd = open_folder(parent.get(), folder, layout, O_PATH);
    if (!fd) {
      const ErrorCode code = fd.error().code;
      // What cannot be looked at cannot be used, either.
      const bool is_closed = allow_shared && code == ErrorCode::kPermissionDenied;
      if (code == ErrorCode::kNotFound || is_closed) continue;
      return Unexpected(fd.error());
    }
    if (!allow_shared) TRY(check_ownership(*fd, folder.path(layout)));
    if (UniqueFd* kept = folder.parent.empty() ? parents.of(folder.name) : nullptr) {
      TRY(check_names_stay(*fd, folder.path(layout)));
      *kept = std::move(*fd);
    }
  }
  return {};
}

Result<void> make_folder(int parent, const Folder& folder, const Layout& layout) {
  if (::mkdirat(parent, std::string(folder.name).c_str(), 0700) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, folder.path(layout));
}

/// `creates`: makes what is missing; otherwise only requests/ and responses/ must be there.
Result<std::shared_ptr<const Directories>> open_directories(UniqueFd root, const Layout& layout,
                                                            bool creates) {
  auto out = std::make_shared<Directories>();
  out->root = std::move(root);
  UniqueFd client;
  for (const Folder& folder : kFolders) {
    const bool is_in_client = folder.parent == "client" || folder.name == "client";
    if (folder.place == nullptr && !(creates && folder.is_made) && !is_in_client) continue;
    const UniqueFd& parent = folder.parent.empty()       ? out->root
                             : folder.parent == "worker" ? out->worker
                                                         : client;
    if (!parent.is_open()) continue;
    if (creates && folder.is_made) TRY(make_folder(parent.get(), folder, layout));
    if (folder.place == nullptr && folder.name != "client") continue;
    const bool is_kept = folder.place != nullptr;
    auto fd = open_folder(parent.get(), folder, layout, is_kept ? O_RDONLY : O_PATH);
    const bool is_required = creates || folder.name == "requests" || folder.name == "responses";
    if (!fd && !is_required && fd.error().code == ErrorCode::kNotFound) continue;
    if (!fd) return Unexpected(fd.error());
    (is_kept ? (*out).*folder.place : client) = std::move(*fd);
  }
  out->staging_is_shared = is_same_mount(out->worker_tmp, out->responses) &&
                           is_same_mount(out->worker_started, out->responses);
  out->drop_is_shared = is_same_mount(out->client_tmp, out->requests);
  return std::shared_ptr<const Directories>(std::move(out));
}

Result<std::shared_ptr<const Directories>> prepare(const Layout& layout,
                                                   const RootOptions& options) {
  if (options.group) return prepare_group_root(layout, *options.group);
  if (layout.is_of_group()) {
    const auto group = find_group_root(layout.root());
    if (!group) return fail(ErrorCode::kNotFound, layout.root() + ": is a group's no more");
    return open_group_root(layout, *group, options.allow_shared, options.create);
  }
  if (options.create) {
    // The root first: nothing is created inside a directory that may not be trusted.
    TRY(make_directories(layout.root()));
  }
  TRY_ASSIGN(UniqueFd root, open_file(layout.root(), O_RDONLY | O_DIRECTORY));
  if (!options.allow_shared) TRY(check_ownership(root, layout.root()));
  TRY(check_names_stay(root, layout.root()));
  TRY(check_directories(root, layout, options.allow_shared));
  return open_directories(std::move(root), layout, options.create);
}

bool is_still_at(const UniqueFd& fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// False: a directory was taken out of worker/, which is still there itself.
bool has_its_staging(const Directories& directories, const Layout& layout) {
  if (!directories.worker.is_open() || !is_still_at(directories.worker, layout.worker())) {
    return true;
  }
  const auto is_there = [](const UniqueFd& fd, const std::string& path) {
    return !fd.is_open() || is_still_at(fd, path);
  };
  return is_there(directories.worker_tmp, layout.worker_tmp()) &&
         is_there(directories.worker_started, layout.worker_started()) &&
         is_there(directories.worker_late, layout.worker_late()) &&
         is_there(directories.worker_journal, layout.worker_journal());
}

}  // namespace

bool is_same_mount(const UniqueFd& a, const UniqueFd& b) {
  if (!a.is_open() || !b.is_open()) return false;
  struct statx first {};
  struct statx second {};
  constexpr unsigned kMask = STATX_BASIC_STATS | STATX_MNT_ID;
  if (::statx(a.get(), "", AT_EMPTY_PATH, kMask, &first) != 0) return false;
  if (::statx(b.get(), "", AT_EMPTY_PATH, kMask, &second) != 0) return false;
  return first.stx_dev_major == second.stx_dev_major &&
         first.stx_dev_minor == second.stx_dev_minor && first.stx_mnt_id == second.stx_mnt_id;
}

Root::Root(Layout layout, RootOptions options, std::shared_ptr<const Directories> directories)
    : layout_(std::move(layout)), options_(options), current_(std::make_unique<Current>()) {
  current_->directories = std::move(directories);
}

Result<Root> Root::open(const std::string& path, const RootOptions& options) {
  if (path.empty()) {
    return fail(ErrorCode::kInvalidArgument, "root: the path is empty; name a directory");
  }
  Layout layout = options.group ? Layout(path) : layout_of(path);
  TRY_ASSIGN(auto directories, prepare(layout, options));
  return Root(std::move(layout), options, std::move(directories));
}

std::shared_ptr<const Directories> Root::directories() const {
  const std::lock_guard guard(current_->mutex);
  return current_->directories;
}

Result<bool> Root::reopen_if_replaced(bool create_missing) {
  const auto now = directories();
  const bool is_moved = !is_still_at(now->requests, layout_.requests()) ||
                        !is_still_at(now->responses, layout_.responses());
  if (!is_moved && has_its_staging(*now, layout_)) return false;
  RootOptions options = options_;
  // Nobody but the worker has a use for its own directories: they are made again at once.
  options.create = options.create && (create_missing || !is_moved);
  TRY_ASSIGN(auto fresh, prepare(layout_, options));
  log_warn("{}: a directory was removed, renamed, replaced or mounted over; opened it again",
           layout_.root());
  const std::lock_guard guard(current_->mutex);
  current_->directories = std::move(fresh);
  return true;
}

}  // namespace filecall::spool
