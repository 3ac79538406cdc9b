// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "ipc/worker_status.h"
#include "spool/root.h"
#include "spool/watch.h"

namespace filecall::spool {

/// Work at a time, so that a flood does not keep the owner from everything else: 64 KiB of events,
/// or some thousand names, each.
inline constexpr int kBuffersPerRead = 4;
inline constexpr int kStepsPerWake = 4;

struct SpoolWatchOptions {
  std::uint32_t requests_mask = 0;  ///< inotify bits; 0: the place is not watched.
  std::uint32_t responses_mask = 0;
  bool force_poll = false;
  Duration poll_period = milliseconds(200);
};

/// Decides *when* to look: reads events, proves at start that they arrive, falls back to polling,
/// follows replaced directories, and keeps the schedule of scans. What is looked at is its owner's
/// business. Passive, one thread.
class SpoolWatch {
 public:
  /// Watches at once, so that whatever is scanned later cannot have changed unnoticed in between.
  /// `root` must outlive it. Never fails: without events it polls.
  SpoolWatch(Root& root, const SpoolWatchOptions& options);

  /// Constant; -1 when there is no inotify instance.
  int poll_fd() const { return watch_ ? watch_->fd() : -1; }
  /// The directories as of the last check(), without a lock.
  const std::shared_ptr<const Directories>& directories() const { return directories_; }

  /// Reads at most `buffers` buffers of events and visits the names that appeared or vanished; all
  /// else becomes a wanted scan. False: nothing is left to read.
  template <typename Visit>
  bool read(int buffers, Visit&& visit) {
    if (!watch_) return false;
    for (int i = 0; i < buffers; ++i) {
      const bool some = watch_->read([&](const WatchEvent& event) {
        if (!is_trouble(event)) visit(event);
      });
      if (!some || watch_->was_last()) return false;
    }
    return true;
  }

  /// Timer work: opens replaced directories again. True: it did, so a scan that is under way reads
  /// the wrong directories.
  bool check(MonotonicTime now);
  Deadline next_check() const;

  void want_scan() {
    is_scan_wanted_ = true;
    wanted_at_ = {};
  }
  bool is_scan_wanted() const { return is_scan_wanted_; }
  Deadline next_scan() const;
  void scan_began() { is_scan_wanted_ = false; }
  void scan_ended(MonotonicTime now, Duration cost);
  /// It could not be read to the end: tries again in a second.
  void scan_failed(MonotonicTime now);
  /// A scan found what should have been an event: polls from now on.
  void distrust(std::string reason);

  WatchMode mode() const { return reason_.empty() ? WatchMode::kInotify : WatchMode::kPoll; }
  /// Why it polls; empty with inotify.
  const std::string& reason() const { return reason_; }
  std::int64_t overflows() const { return overflows_; }

 private:
  bool is_trouble(const WatchEvent& event);
  bool reopen(MonotonicTime now);
  void attach();
  Result<void> add_watches();
  Result<void> prove();
  Result<void> await_cookies(const std::string& cookie);

  Root& root_;
  SpoolWatchOptions options_;
  std::shared_ptr<const Directories> directories_;
  std::optional<Watch> watch_;
  std::string reason_;
  std::string distrust_;  ///< Once events were missed, no self-test restores the trust.
  bool is_gone_ = false;
  bool has_waited_ = false;  ///< For somebody to put a missing directory back.
  bool is_scan_wanted_ = true;
  std::int64_t overflows_ = 0;
  MonotonicTime next_check_{};
  MonotonicTime next_scan_{};
  MonotonicTime wanted_at_{};  ///< Earliest time of a wanted scan.
  MonotonicTime last_scan_end_{};
  Duration last_scan_cost_{};
};

/// Why events of other machines or layers may not arrive at this directory; empty: no reason known.
std::string unreliable_file_system(int directory_fd);

}  // namespace filecall::spool
