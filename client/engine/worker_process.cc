// SPDX-License-Identifier: MIT
#include "client/engine/worker_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "client/engine/worker_launch.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/group_root.h"
#include "spool/layout.h"
#include "spool/lock.h"
#include "spool/own_response.h"

namespace filecall::client {
namespace {

constexpr std::size_t kStatusBytesMax = 1024 * 1024;
// Longer than the idle heartbeat: an older one was not written by the lock's present holder.
constexpr Duration kHeartbeatFresh = limits::kHeartbeatIdle + seconds(5);
/// The exit code of a worker that was started in a wrong way, or with a wrong configuration.
constexpr int kWorkerRefuses = 2;
constexpr Duration kLookEvery = milliseconds(20);
constexpr Duration kFollowEvery = milliseconds(200);

void pause_for(Duration duration) {
  ::poll(nullptr, 0, static_cast<int>(std::max<std::int64_t>(1, to_ms(duration))));
}

std::optional<WorkerStatus> read_status(const spool::Layout& layout) {
  const auto bytes = read_regular_file(layout.worker_status(), kStatusBytesMax);
  if (!bytes) return std::nullopt;
  auto status = parse_worker_status(*bytes);
  if (!status) return std::nullopt;
  return std::move(*status);
}

WorkerPresence presence_of(WorkerState state) {
  switch (state) {
    case WorkerState::kReady:
      return WorkerPresence::kReady;
    case WorkerState::kDraining:
      return WorkerPresence::kDraining;
    case WorkerState::kStarting:
    case WorkerState::kStopped:  // The holder has not written its own status yet, or is leaving.
      break;
  }
  return WorkerPresence::kStarting;
}

}  // namespace

std::string_view to_string(WorkerPresence presence) {
  switch (presence) {
    case WorkerPresence::kNotRunning:
      return "not running";
    case WorkerPresence::kStarting:
      return "starting";
    case WorkerPresence::kReady:
      return "ready";
    case WorkerPresence::kDraining:
      return "draining";
  }
  return "";
}

bool has_open(pid_t pid, const std::string& path) {
  struct stat wanted {};
  if (pid <= 0 || ::stat(path.c_str(), &wanted) != 0) return false;
  const std::string directory = fmt::format("/proc/{}/fd", pid);
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> entries(::opendir(directory.c_str()), close);
  if (!entries) return false;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] == '.') continue;
    struct stat found {};
    if (::fstatat(::dirfd(entries.get()), entry->d_name, &found, 0) == 0 &&
        found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino) {
      return true;
    }
  }
  return false;
}

bool holds_lock(pid_t pid, const std::string& path) {
  constexpr std::size_t kLocksBytesMax = 16 * 1024 * 1024;
  struct stat wanted {};
  if (pid <= 0 || ::stat(path.c_str(), &wanted) != 0) return false;
  const auto locks = read_file("/proc/locks", kLocksBytesMax);
  if (!locks) return false;
  // "1: FLOCK  ADVISORY  WRITE 812 08:01:1311 0 EOF". The device is not compared: some file systems
  // (btrfs) tell another one to stat(2).
  const std::string end = fmt::format(":{} 0 EOF", wanted.st_ino);
  const std::string middle = fmt::format(" WRITE {} ", pid);
  std::string_view rest = *locks;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find(" FLOCK ") != line.npos && line.find(middle) != line.npos &&
        line.ends_with(end)) {
      return true;
    }
  }
  return false;
}

Result<WorkerView> worker_view(const std::string& root) {
  const spool::Layout layout = spool::layout_of(root);
  WorkerView view;
  TRY_ASSIGN(const bool is_held, spool::FileLock::is_held(layout.worker_alive()));
  view.status = read_status(layout);
  if (!is_held) return view;
  view.presence = WorkerPresence::kStarting;
  if (!view.status) return view;
  const auto pid = static_cast<pid_t>(view.status->pid);
  if (has_open(pid, layout.worker_alive()) || holds_lock(pid, layout.worker_alive())) {
    view.pid = pid;
    view.presence = presence_of(view.status->state);
  } else if (wall_now() - view.status->heartbeat_at < kHeartbeatFresh) {
    // The holder cannot be seen from here (another pid namespace), but it speaks.
    view.presence = presence_of(view.status->state);
  }
  return view;
}

Result<void> check_worker_users(const std::string& root) {
  const spool::Layout layout = spool::layout_of(root);
  const auto why = spool::other_users(layout, false);
  if (!why) return {};
  TRY_ASSIGN(const bool is_held, spool::FileLock::is_held(layout.worker_alive()));
  if (!is_held) return {};
  return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: {}", root, *why));
}

Result<WorkerView> wait_until_ready(const WorkerStart& start, pid_t child, Duration patience) {
  const Deadline deadline = Deadline::after(monotonic_now(), patience);
  for (;;) {
    TRY_ASSIGN(WorkerView view, worker_view(start.root));
    const bool is_the_one = child == 0 || view.pid == child;
    if (view.presence == WorkerPresence::kReady && is_the_one) return view;
    int status = 0;
    if (child > 0 && ::waitpid(child, &status, WNOHANG) == child) {
      const bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == kWorkerRefuses;
      return fail(is_refused ? ErrorCode::kInvalidArgument : ErrorCode::kUnavailable,
                  describe_early_end(start, status));
    }
    if (deadline.is_reached(monotonic_now())) {
      return fail(ErrorCode::kDeadlineExceeded,
                  fmt::format("worker: {} after {} ms; see `filecall worker logs`",
                              to_string(view.presence), to_ms(patience)));
    }
    pause_for(kLookEvery);
  }
}

Result<void> follow_log(const std::string& path, const LogPlace& from,
                        const std::function<bool(std::string_view)>& print) {
  constexpr std::size_t kChunkBytes = 1024 * 1024;
  struct stat info {};
  ino_t inode = from.inode;
  off_t at = from.end;
  for (;; pause_for(kFollowEvery)) {
    const auto fd = open_regular(path, O_RDONLY);
    if (!fd && fd.error().code == ErrorCode::kNotFound) continue;  // Between two names.
    if (!fd) return Unexpected(fd.error());
    if (::fstat(fd->get(), &info) != 0) return fail_errno(errno, path);
    if (info.st_ino != inode || info.st_size < at) at = 0;
    inode = info.st_ino;
    if (info.st_size <= at) {
      if (!print({})) return {};
      continue;
    }
    const auto size = static_cast<std::size_t>(std::min<off_t>(info.st_size - at, kChunkBytes));
    std::string text(size, '\0');
    const ssize_t got = ::pread(fd->get(), text.data(), size, at);
    if (got < 0) return fail_errno(errno, path);
    at += got;
    if (!print(std::string_view(text).substr(0, static_cast<std::size_t>(got)))) return {};
  }
}

Result<std::string> log_tail(const std::string& path, int lines, LogPlace* place) {
  constexpr off_t kTailBytes = 64 * 1024;
  auto fd = open_regular(path, O_RDONLY);
  if (!fd) {
    if (fd.error().code == ErrorCode::kNotFound) return std::string();
    return Unexpected(fd.error());
  }
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(errno, path);
  const off_t from = std::max<off_t>(0, status.st_size - kTailBytes);
  if (::lseek(fd->get(), from, SEEK_SET) < 0) return fail_errno(errno, path);
  // The file may grow while it is read.
  TRY_ASSIGN(std::string text, read_all(fd->get(), 16 * kTailBytes, path));
  if (place != nullptr) *place = {status.st_ino, from + static_cast<off_t>(text.size())};
  std::size_t begin = text.size();
  if (begin > 0 && text.back() == '\n') --begin;
  for (int i = 0; i < lines && begin != std::string::npos && begin > 0; ++i) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

}  // namespace filecall::client
