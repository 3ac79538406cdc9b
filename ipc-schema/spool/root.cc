// SPDX-License-Identifier: MIT
#include "spool/root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/log.h"
#include "os/io.h"

namespace filecall::spool {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY;

std::string user_name(uid_t uid) {
  std::array<char, 1024> buffer{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return fmt::format("{} (uid {})", found->pw_name, uid);
  }
  return fmt::format("uid {}", uid);
}

Result<void> check_ownership(const std::string& path) {
  TRY_ASSIGN(const UniqueFd fd, open_file(path, kDirectoryFlags));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: belongs to {}, who could read and forge requests; choose another "
                            "--root, or accept it with --allow-shared-root",
                            path, user_name(info.st_uid)));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: others may write to it (mode {:04o}); run 'chmod 0700 {}', or "
                            "accept it with --allow-shared-root",
                            path, info.st_mode & 07777u, path));
  }
  return {};
}

/// A directory of the root that others may write to is as open as an open root.
Result<void> check_directories(const Layout& layout) {
  for (const std::string& path :
       {layout.requests(), layout.responses(), layout.failed(), layout.eval(), layout.events(),
        layout.runs(), layout.worker(), layout.worker_tmp(), layout.worker_started(),
        layout.worker_late(), layout.worker_journal(), layout.client(), layout.client_tmp(),
        layout.client_locks(), layout.client_run_locks(), layout.client_answers(),
        layout.client_batches()}) {
    const auto checked = check_ownership(path);
    if (!checked && checked.error().code != ErrorCode::kNotFound) return checked;
  }
  return {};
}

Result<void> create_directories(const Layout& layout) {
  for (const std::string& path :
       {layout.root(), layout.requests(), layout.responses(), layout.failed(), layout.eval(),
        layout.events(), layout.worker(), layout.worker_tmp(), layout.worker_started(),
        layout.worker_late(), layout.worker_journal(), layout.client(), layout.client_tmp(),
        layout.client_locks()}) {
    TRY(make_directories(path));
  }
  return {};
}

/// Same device is not enough: rename fails with EXDEV across bind mounts of one file system.
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

Result<UniqueFd> open_optional(const std::string& path, bool required) {
  auto fd = open_file(path, kDirectoryFlags);
  if (!fd && !required && fd.error().code == ErrorCode::kNotFound) return UniqueFd();
  return fd;
}

Result<std::shared_ptr<const Directories>> open_directories(const Layout& layout, bool required) {
  auto out = std::make_shared<Directories>();
  TRY_ASSIGN(out->root, open_file(layout.root(), kDirectoryFlags));
  TRY_ASSIGN(out->requests, open_file(layout.requests(), kDirectoryFlags));
  TRY_ASSIGN(out->responses, open_file(layout.responses(), kDirectoryFlags));
  TRY_ASSIGN(out->failed, open_optional(layout.failed(), required));
  TRY_ASSIGN(out->worker, open_optional(layout.worker(), required));
  TRY_ASSIGN(out->worker_tmp, open_optional(layout.worker_tmp(), required));
  TRY_ASSIGN(out->worker_started, open_optional(layout.worker_started(), required));
  TRY_ASSIGN(out->worker_late, open_optional(layout.worker_late(), required));
  TRY_ASSIGN(out->worker_journal, open_optional(layout.worker_journal(), required));
  TRY_ASSIGN(out->client_tmp, open_optional(layout.client_tmp(), required));
  out->staging_is_shared = is_same_mount(out->worker_tmp, out->responses) &&
                           is_same_mount(out->worker_started, out->responses);
  out->drop_is_shared = is_same_mount(out->client_tmp, out->requests);
  return std::shared_ptr<const Directories>(std::move(out));
}

Result<std::shared_ptr<const Directories>> prepare(const Layout& layout,
                                                   const RootOptions& options) {
  if (options.create) {
    // The root first: nothing is created inside a directory that may not be trusted.
    TRY(make_directories(layout.root()));
  }
  if (!options.allow_shared) {
    TRY(check_ownership(layout.root()));
    TRY(check_directories(layout));
  }
  if (options.create) TRY(create_directories(layout));
  return open_directories(layout, options.create);
}

bool is_still_at(const UniqueFd& fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

Root::Root(Layout layout, RootOptions options, std::shared_ptr<const Directories> directories)
    : layout_(std::move(layout)), options_(options), current_(std::make_unique<Current>()) {
  current_->directories = std::move(directories);
}

Result<Root> Root::open(const std::string& path, const RootOptions& options) {
  if (path.empty()) {
    return fail(ErrorCode::kInvalidArgument, "root: the path is empty; name a directory");
  }
  Layout layout(path);
  TRY_ASSIGN(auto directories, prepare(layout, options));
  return Root(std::move(layout), options, std::move(directories));
}

std::shared_ptr<const Directories> Root::directories() const {
  const std::lock_guard guard(current_->mutex);
  return current_->directories;
}

Result<bool> Root::reopen_if_replaced(bool create_missing) {
  const auto now = directories();
  if (is_still_at(now->requests, layout_.requests()) &&
      is_still_at(now->responses, layout_.responses())) {
    return false;
  }
  RootOptions options = options_;
  options.create = options.create && create_missing;
  TRY_ASSIGN(auto fresh, prepare(layout_, options));
  log_warn("{}: a directory was renamed, replaced or mounted over; opened it again",
           layout_.root());
  const std::lock_guard guard(current_->mutex);
  current_->directories = std::move(fresh);
  return true;
}

}  // namespace filecall::spool
