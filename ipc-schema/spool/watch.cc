// SPDX-License-Identifier: MIT
#include "spool/watch.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace filecall::spool {
namespace {

constexpr std::uint32_t kGoneMask = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT;

}  // namespace

Watch::Watch(UniqueFd fd)
    : fd_(std::move(fd)), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

Result<Watch> Watch::open() {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (fd.is_open()) return Watch(std::move(fd));
  if (errno == EMFILE) {
    return fail(ErrorCode::kResourceExhausted,
                "no inotify instance left; raise fs.inotify.max_user_instances");
  }
  return fail_errno(errno, "inotify_init1");
}

Result<void> Watch::add(Place place, int directory_fd, const std::string& path,
                        std::uint32_t mask) {
  int& descriptor = descriptors_[static_cast<std::size_t>(place)];
  if (descriptor >= 0) ::inotify_rm_watch(fd_.get(), std::exchange(descriptor, -1));

  mask |= IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  // Through the descriptor, so that what is watched is what will be scanned.
  const std::string link = fmt::format("/proc/self/fd/{}", directory_fd);
  descriptor = ::inotify_add_watch(fd_.get(), link.c_str(), mask);
  if (descriptor < 0 && errno == ENOENT) {
    descriptor = ::inotify_add_watch(fd_.get(), path.c_str(), mask);
  }
  if (descriptor >= 0) return {};
  if (errno == ENOSPC) {
    return fail(ErrorCode::kResourceExhausted,
                "no inotify watch left; raise fs.inotify.max_user_watches");
  }
  return fail_errno(errno, fmt::format("{}: inotify_add_watch", path));
}

std::size_t Watch::fill() {
  for (;;) {
    const ssize_t got = ::read(fd_.get(), buffer_.get(), kBufferBytes);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    return 0;
  }
}

bool Watch::decode(const inotify_event& raw, WatchEvent& out) const {
  // First, because it carries no watch descriptor.
  if ((raw.mask & IN_Q_OVERFLOW) != 0) {
    out.kind = WatchEvent::Kind::kOverflow;
    return true;
  }
  const auto at = std::find(descriptors_.begin(), descriptors_.end(), raw.wd);
  if (at == descriptors_.end()) return false;
  out.place = static_cast<Place>(at - descriptors_.begin());
  if ((raw.mask & kGoneMask) != 0) {
    out.kind = WatchEvent::Kind::kGone;
    return true;
  }
  if (raw.len == 0) return false;
  out.kind =
      (raw.mask & kVanishedMask) != 0 ? WatchEvent::Kind::kVanished : WatchEvent::Kind::kAppeared;
  out.name = raw.name;  // Padded with NUL bytes.
  return true;
}

}  // namespace filecall::spool
