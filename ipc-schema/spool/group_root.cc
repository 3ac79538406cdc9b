// SPDX-License-Identifier: MIT
#include "spool/group_root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "os/accounts.h"
#include "os/io.h"

namespace filecall::spool {
namespace {

constexpr mode_t kModeBits = 07777;
/// Of a folder into which members write: what lies there stays its owner's.
constexpr mode_t kShared = S_ISVTX | S_ISGID | 0770;
/// Of a folder that members read.
constexpr mode_t kRead = S_ISGID | 0750;
/// Files are found there by name, and get the group.
constexpr mode_t kPassed = S_ISGID | 0710;
constexpr mode_t kOwn = S_ISGID | 0700;

constexpr GroupFolder kGroupFolders[] = {
    {"", "requests", kShared, &Directories::requests},
    {"", "responses", kRead, &Directories::responses},
    {"", "events", kRead},
    {"", "paused", kRead},
    {"", "users", kShared},
    {"", "worker", kRead, &Directories::worker},
    {"worker", "tmp", kOwn, &Directories::worker_tmp},
    {"worker", "started", kPassed, &Directories::worker_started},
    {"worker", "late", kOwn, &Directories::worker_late},
    {"worker", "journal", kOwn, &Directories::worker_journal},
};

struct HomeFolder {
  std::string_view name;
  UniqueFd Directories::*place = nullptr;
};
constexpr HomeFolder kHomeFolders[] = {
    {"failed", &Directories::failed},         {"eval"},        {"runs"}, {"client"},
    {"client/tmp", &Directories::client_tmp}, {"client/locks"}};

/// A name that another member has taken leaves the next one.
constexpr int kHomesMax = 10;

std::string home_at(const std::string& users, int number) {
  return number == 0 ? fmt::format("{}/{}", users, ::geteuid())
                     : fmt::format("{}/{}.{}", users, ::geteuid(), number);
}

std::optional<struct stat> look_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

bool is_own_folder(const struct stat& info) {
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

/// This user's home: the one that is there, else the first free name.
std::string find_home(const std::string& users) {
  std::optional<std::string> free;
  for (int number = 0; number < kHomesMax; ++number) {
    std::string path = home_at(users, number);
    const auto info = look_at(path);
    if (info && is_own_folder(*info)) return path;
    if (!info && !free) free = std::move(path);
  }
  return free.value_or(home_at(users, 0));
}

Result<UniqueFd> open_directory(int parent, const std::string& name, const std::string& path) {
  const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) return UniqueFd(fd);
  const int why = errno;
  struct stat info {};
  if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) {
    return fail(ErrorCode::kFailedPrecondition,
                path +
                    ": is a symbolic link, which may lead out of the root and is not followed; "
                    "put a directory there");
  }
  return fail_errno(why, path);
}

/// Makes a directory of ours what its members are to find.
Result<void> set_access(int fd, const std::string& path, mode_t mode, gid_t group) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: belongs to {}; a root of a group belongs to the user of its "
                            "worker: chown it, or choose another --root",
                            path, user_label(info.st_uid)));
  }
  if (info.st_gid != group && ::fchown(fd, static_cast<uid_t>(-1), group) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: cannot get the group {}, to which the worker's user must belong "
                            "(usermod -aG {} USER)",
                            path, group_label(group), group_label(group)));
  }
  if (info.st_gid == group && (info.st_mode & kModeBits) == mode) return {};
  return ::fchmod(fd, mode) == 0 ? Result<void>() : fail_errno(errno, path);
}

/// What is wrong with one folder; nullopt: nothing, or it is not there.
std::optional<GroupComplaint> complaint_about(const std::string& path, mode_t mode,
                                              const GroupRoot& group) {
  const auto info = look_at(path);
  if (!info) return std::nullopt;
  const auto say = [&path](std::string text, std::string advice) {
    return GroupComplaint{path, std::move(text), std::move(advice)};
  };
  if (!S_ISDIR(info->st_mode)) {
    return say("is no directory", "put a directory there; a link is not followed");
  }
  if (info->st_uid != group.owner) {
    return say(fmt::format("belongs to {}, the root to {}", user_label(info->st_uid),
                           user_label(group.owner)),
               fmt::format("chown {} '{}'", group.owner, path));
  }
  if (info->st_gid != group.group) {
    return say(fmt::format("has the group {} instead of {}", group_label(info->st_gid),
                           group_label(group.group)),
               fmt::format("chgrp {} '{}'", group_label(group.group), path));
  }
  if ((info->st_mode & kModeBits) != mode) {
    return say(
        fmt::format("has the mode {:04o} instead of {:04o}", info->st_mode & kModeBits, mode),
        fmt::format("chmod {:04o} '{}'", mode, path));
  }
  return std::nullopt;
}

/// A member's own folder, closed to all others.
Result<void> make_home_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, path);
}

Result<void> open_home(Directories& out, const Layout& layout, bool creates) {
  if (creates) TRY(make_home_folder(layout.home()));
  const auto info = look_at(layout.home());
  if (!info && !creates) return {};
  if (info && !is_own_folder(*info)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: the user {} took this name and all others that are for you; "
                            "let the owner of the root remove them",
                            layout.home(), info->st_uid));
  }
  if (!info || (info->st_mode & 077) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{0}: must be a directory that nobody but you may use; run "
                            "'chmod go= {0}'",
                            layout.home()));
  }
  for (const HomeFolder& folder : kHomeFolders) {
    const std::string path = fmt::format("{}/{}", layout.home(), folder.name);
    if (creates) TRY(make_home_folder(path));
    if (folder.place == nullptr) continue;
    auto fd = open_directory(AT_FDCWD, path, path);
    if (!fd && !creates && fd.error().code == ErrorCode::kNotFound) continue;
    if (!fd) return Unexpected(fd.error());
    out.*folder.place = std::move(*fd);
  }
  return {};
}

}  // namespace

std::string GroupFolder::path(const Layout& layout) const {
  return fmt::format("{}{}{}/{}", layout.root(), parent.empty() ? "" : "/", parent, name);
}

std::optional<GroupRoot> find_group_root(const std::string& root) {
  const std::string users = Layout(root).users();
  const auto info = look_at(users);
  constexpr mode_t kMark = S_ISVTX | S_ISGID;
  if (!info || !S_ISDIR(info->st_mode) || (info->st_mode & kMark) != kMark) return std::nullopt;
  struct stat whole {};
  // In a root that others may write to, anybody may have made it.
  if (::stat(root.c_str(), &whole) != 0 || whole.st_uid != info->st_uid) return std::nullopt;
  return GroupRoot{info->st_uid, info->st_gid, find_home(users)};
}

Layout layout_of(const std::string& root) {
  auto group = root.empty() ? std::nullopt : find_group_root(root);
  return group ? Layout(root, std::move(group->home)) : Layout(root);
}

std::vector<GroupComplaint> group_complaints(const std::string& root, const GroupRoot& group) {
  const Layout layout(root);
  std::vector<GroupComplaint> complaints;
  const auto add = [&complaints](std::optional<GroupComplaint> one) {
    if (one) complaints.push_back(std::move(*one));
  };
  add(complaint_about(root, kRead, group));
  for (const GroupFolder& folder : kGroupFolders) {
    add(complaint_about(folder.path(layout), folder.mode, group));
  }
  return complaints;
}

Result<std::shared_ptr<const Directories>> prepare_group_root(const Layout& layout, gid_t group) {
  if (!has_group(group) && ::geteuid() != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: the worker's user does not belong to the group {}; "
                            "usermod -aG {} USER",
                            layout.root(), group_label(group), group_label(group)));
  }
  TRY(make_directories(layout.root()));
  auto out = std::make_shared<Directories>();
  TRY_ASSIGN(out->root, open_file(layout.root(), O_RDONLY | O_DIRECTORY));
  TRY(set_access(out->root.get(), layout.root(), kRead, group));
  out->file_mode = kGroupFileMode;
  for (const GroupFolder& folder : kGroupFolders) {
    const std::string path = folder.path(layout);
    const int parent = folder.parent.empty() ? out->root.get() : out->worker.get();
    const std::string name(folder.name);
    if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
      return fail_errno(errno, path);
    }
    TRY_ASSIGN(UniqueFd fd, open_directory(parent, name, path));
    TRY(set_access(fd.get(), path, folder.mode, group));
    if (folder.place != nullptr) (*out).*folder.place = std::move(fd);
  }
  out->staging_is_shared = is_same_mount(out->worker_tmp, out->responses) &&
                           is_same_mount(out->worker_started, out->responses);
  return std::shared_ptr<const Directories>(std::move(out));
}

Result<std::shared_ptr<const Directories>> open_group_root(const Layout& layout,
                                                           const GroupRoot& group,
                                                           bool accepts_owner, bool creates) {
  const bool is_ours = group.owner == ::geteuid();
  if (!is_ours && !accepts_owner) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: is a root of the group {} that belongs to {}, who can read and "
                            "answer what you ask there; accept that with --allow-shared-root",
                            layout.root(), group_label(group.group), user_label(group.owner)));
  }
  if (!is_ours && ::geteuid() != 0 && !has_group(group.group)) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: is a root of the group {}, to which you do not belong",
                            layout.root(), group_label(group.group)));
  }
  for (const GroupComplaint& wrong : group_complaints(layout.root(), group)) {
    return fail(ErrorCode::kPermissionDenied, fmt::format("{}: {}; the root's owner runs: {}",
                                                          wrong.path, wrong.text, wrong.advice));
  }
  auto out = std::make_shared<Directories>();
  out->file_mode = kGroupFileMode;
  TRY_ASSIGN(out->root, open_file(layout.root(), O_RDONLY | O_DIRECTORY));
  TRY_ASSIGN(out->requests, open_directory(out->root.get(), "requests", layout.requests()));
  TRY_ASSIGN(out->responses, open_directory(out->root.get(), "responses", layout.responses()));
  TRY(open_home(*out, layout, creates));
  out->drop_is_shared = is_same_mount(out->client_tmp, out->requests);
  out->user = ::geteuid();
  out->is_members = !is_ours && ::geteuid() != 0;
  return std::shared_ptr<const Directories>(std::move(out));
}

}  // namespace filecall::spool
