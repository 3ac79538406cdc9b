// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/worker_status.h"
#include "spool/arrival.h"
#include "spool/inbox.h"
#include "spool/pending_scan.h"
#include "spool/root.h"
#include "spool/spool_watch.h"

namespace filecall::spool {

struct RootReaderOptions {
  RequestLimits request_limits;
  Duration settle = limits::kSettle;
  /// Never use inotify (tests, and people who know their file system).
  bool force_poll = false;
  /// Period of the timer scan while polling; with inotify the period is longer. Both grow with
  /// what a scan costs.
  Duration poll_period = milliseconds(200);
  /// True for requests whose commands may be executed a second time without harm. Only for these
  /// an arrival may have an answer already: publishing then says kAlreadyThere. Null: for none.
  std::function<bool(const Request&)> may_repeat;
};

/// Finds the requests of a root. The truth is names(requests) - names(responses); inotify names are
/// hints that make the common case O(1). See docs/protocol.md, "Noticing".
///
/// Passive: it owns no thread and no timer. The owner polls poll_fd(), calls on_readable() when it
/// is readable and on_wake() when next_wake() is reached, and takes arrivals while it has room for
/// them. What next() handed out is *held*: it is not handed out again until release(). One thread.
class RootReader {
 public:
  /// `root` must outlive it; the caller holds its worker lock. `on_deleted`: somebody may have
  /// deleted the response to that stem; may be null.
  RootReader(Root& root, const RootReaderOptions& options,
             std::function<void(std::string_view stem)> on_deleted = nullptr);

  /// A descriptor to poll for reading; -1 when there is none (polling by timer alone).
  int poll_fd() const { return watch_.poll_fd(); }
  void on_readable();
  Deadline next_wake() const;
  void on_wake(MonotonicTime now);

  /// Next arrival, now held; nullopt: nothing is ready.
  std::optional<Arrival> next(MonotonicTime now);
  /// Reads a held request once more. not_found: withdrawn.
  Result<Arrival> read_again(std::string_view stem, MonotonicTime now);
  /// Holds a request that was not handed out, because it is being answered unread (a cancel):
  /// next() must not hand it out meanwhile. False: it is held already.
  bool hold(std::string_view stem) { return inbox_.hold(stem); }
  bool is_held(std::string_view stem) const { return inbox_.is_held(stem); }
  bool is_any_held() const { return inbox_.is_any_held(); }
  /// Ends holding: it was answered, or is given back unanswered (and will be found again).
  void release(std::string_view stem, bool is_answered) { inbox_.release(stem, is_answered); }
  /// A request without a response exists under that stem, held or not.
  bool is_pending(std::string_view stem) const;
  /// A response exists under that stem.
  bool is_answered(std::string_view stem) const;
  /// True when everything that was there when the last full reading began has been handed out
  /// and nothing is waiting to become ready: what `--drain` waits for.
  bool is_drained() const {
    return has_scanned_ && !scan_ && !watch_.is_scan_wanted() && inbox_.is_empty();
  }

  /// Names known but not handed out yet.
  std::size_t waiting() const { return inbox_.waiting(); }
  /// Names in requests/ that are no requests.
  std::size_t ignored() const { return inbox_.ignored(); }
  std::int64_t overflows() const { return watch_.overflows(); }
  std::int64_t scans() const { return scans_; }
  WatchMode watch_mode() const { return watch_.mode(); }
  /// Why it polls.
  const std::string& watch_reason() const { return watch_.reason(); }

 private:
  bool read_events(int buffers);
  void begin_scan(MonotonicTime now);
  void continue_scan(MonotonicTime now);
  void end_scan(MonotonicTime now);
  void fail_scan(const Error& error, MonotonicTime now);
  void look_for_missed(const NameList& pending);
  bool is_regular_pending(std::string_view stem) const;

  std::string name_;
  SpoolWatch watch_;
  Inbox inbox_;
  std::function<void(std::string_view)> on_deleted_;
  std::optional<PendingScan> scan_;
  bool is_timer_scan_ = false;  ///< The one that is under way: nothing had hinted at a loss.
  bool has_scanned_ = false;    ///< The last scan got to its end.
  bool has_swept_ = false;
  std::int64_t scans_ = 0;
};

}  // namespace filecall::spool
