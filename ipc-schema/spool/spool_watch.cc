// SPDX-License-Identifier: MIT
#include "spool/spool_watch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/layout.h"
#include "spool/scan_schedule.h"

namespace filecall::spool {
namespace {

// Local events are queued before the system call that causes them returns; this is for file systems
// that think about it.
constexpr Duration kProofPatience = milliseconds(200);
// Scans take a quarter of the time at most while a flood lasts.
constexpr int kOverflowCostFactor = 3;
constexpr Duration kReopenRetry = seconds(1);

struct FileSystem {
  std::uint32_t magic;  // statfs(2), linux/magic.h
  std::string_view name;
};
// Other machines write there without a local event.
constexpr FileSystem kRemote[] = {
    {0x6969, "nfs"},      {0x517b, "smb"},        {0xff534d42, "cifs"},  {0xfe534d42, "smb2"},
    {0x01021997, "9p"},   {0x65735546, "fuse"},   {0x00c36400, "ceph"},  {0x0bd00bd0, "lustre"},
    {0x5346414f, "afs"},  {0x73757245, "coda"},   {0x47504653, "gpfs"},  {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"}, {0x786f4256, "vboxsf"}, {0xbacbacbc, "vmhgfs"}};

Result<void> touch_and_remove(int directory_fd, const std::string& name) {
  const UniqueFd fd(::openat(directory_fd, name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.is_open()) {
    return fail_errno(errno, "no file could be created to prove that events arrive");
  }
  // Gone already: a worker that starts now has swept it.
  if (::unlinkat(directory_fd, name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, name);
  }
  return {};
}

}  // namespace

std::string unreliable_file_system(int directory_fd) {
  struct statfs info {};
  if (::fstatfs(directory_fd, &info) != 0) return {};
  const auto magic = static_cast<std::uint32_t>(info.f_type);
  for (const FileSystem& entry : kRemote) {
    if (entry.magic == magic) {
      return fmt::format("{} does not announce what other machines write", entry.name);
    }
  }
  return {};
}

SpoolWatch::SpoolWatch(Root& root, const SpoolWatchOptions& options)
    : root_(root), options_(options), directories_(root.directories()) {
  if (!options_.force_poll) {
    auto watch = Watch::open();
    if (watch) {
      watch_.emplace(std::move(*watch));
    } else {
      reason_ = watch.error().message;
    }
  }
  attach();
  next_check_ = monotonic_now() + kReplacedCheckPeriod;
}

void SpoolWatch::attach() {
  if (options_.force_poll) {
    reason_ = "polling was asked for";
    return;
  }
  if (!watch_) return;
  auto proven = add_watches();
  if (proven) proven = prove();
  reason_ = proven ? distrust_ : proven.error().message;
  if (!reason_.empty()) log_warn("{}: polling: {}", root_.layout().root(), reason_);
}

Result<void> SpoolWatch::add_watches() {
  const Layout& layout = root_.layout();
  if (options_.requests_mask != 0) {
    TRY(watch_->add(Place::kRequests, directories_->requests.get(), layout.requests(),
                    options_.requests_mask));
  }
  if (options_.responses_mask != 0) {
    TRY(watch_->add(Place::kResponses, directories_->responses.get(), layout.responses(),
                    options_.responses_mask));
  }
  return watch_->add(Place::kRoot, directories_->root.get(), layout.root(), kVanishedMask);
}

Result<void> SpoolWatch::prove() {
  for (const UniqueFd* fd : {&directories_->requests, &directories_->responses}) {
    if (auto reason = unreliable_file_system(fd->get()); !reason.empty()) {
      return fail(ErrorCode::kUnimplemented, std::move(reason));
    }
  }
  const std::string cookie = Layout::cookie_name(random_seed(), 0);
  if (options_.requests_mask != 0) TRY(touch_and_remove(directories_->requests.get(), cookie));
  if (options_.responses_mask != 0) TRY(touch_and_remove(directories_->responses.get(), cookie));
  return await_cookies(cookie);
}

Result<void> SpoolWatch::await_cookies(const std::string& cookie) {
  bool is_missing[kPlaceCount] = {options_.requests_mask != 0, options_.responses_mask != 0, false};
  const Deadline deadline = Deadline::after(monotonic_now(), kProofPatience);
  for (;;) {
    // Other events are dropped: the first scan comes later and sees what they tell.
    bool has_overflown = false;
    const bool some = watch_->read([&](const WatchEvent& event) {
      if (event.kind == WatchEvent::Kind::kOverflow) has_overflown = true;
      if (event.name == cookie) is_missing[static_cast<std::size_t>(event.place)] = false;
    });
    // A flood that overflows the queue proves that events arrive.
    if (has_overflown || (!is_missing[0] && !is_missing[1])) return {};
    if (some) continue;
    const Duration left = deadline.time_left(monotonic_now());
    if (left == Duration::zero()) break;
    struct pollfd entry {
      watch_->fd(), POLLIN, 0
    };
    ::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(1, to_ms(left))));
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("no event arrives for {}", is_missing[0] ? "requests" : "responses"));
}

bool SpoolWatch::is_trouble(const WatchEvent& event) {
  switch (event.kind) {
    case WatchEvent::Kind::kOverflow:
      ++overflows_;
      // Not at once: a flood overflows the queue again and again, and its names are not the only
      // work. What the queue still holds keeps the owner busy until then.
      if (!is_scan_wanted_) wanted_at_ = last_scan_end_ + kOverflowCostFactor * last_scan_cost_;
      is_scan_wanted_ = true;
      return true;
    case WatchEvent::Kind::kGone:
      is_gone_ = true;
      want_scan();
      next_check_ = {};
      return true;
    case WatchEvent::Kind::kAppeared:
    case WatchEvent::Kind::kVanished:
      // Of the root's entries some temporary or foreign one may go: then there is little to check.
      if (event.place == Place::kRoot) next_check_ = {};
      return event.place == Place::kRoot;
  }
  return false;
}

bool SpoolWatch::check(MonotonicTime now) {
  if (now < next_check_ && now < next_scan_) return false;
  next_check_ = now + kReplacedCheckPeriod;
  if (!reopen(now)) return false;
  is_gone_ = false;
  has_waited_ = false;
  directories_ = root_.directories();
  attach();
  want_scan();
  return true;
}

/// False: nothing was replaced, or it cannot be opened yet.
bool SpoolWatch::reopen(MonotonicTime now) {
  const auto reopened = root_.reopen_if_replaced(has_waited_);
  if (reopened) return *reopened || is_gone_;
  // Who replaces a directory removes the old one first: creating it at once would get in the way.
  if (has_waited_) log_error("{}; trying again", reopened.error().message);
  has_waited_ = true;
  next_check_ = now + kReopenRetry;
  return false;
}

Deadline SpoolWatch::next_check() const { return Deadline::at(next_check_); }

Deadline SpoolWatch::next_scan() const {
  return Deadline::at(is_scan_wanted_ ? std::min(wanted_at_, next_scan_) : next_scan_);
}

void SpoolWatch::scan_ended(MonotonicTime now, Duration cost) {
  last_scan_end_ = now;
  last_scan_cost_ = cost;
  next_scan_ = now + scan_pause(mode(), cost, options_.poll_period);
}

void SpoolWatch::scan_failed(MonotonicTime now) {
  next_scan_ = now + kReopenRetry;
  next_check_ = std::min(next_check_, next_scan_);
}

void SpoolWatch::distrust(std::string reason) {
  if (mode() == WatchMode::kPoll) return;
  distrust_ = std::move(reason);
  reason_ = distrust_;
  log_warn("{}: polling: {}", root_.layout().root(), reason_);
}

}  // namespace filecall::spool
