// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/worker_status.h"
#include "spool/root.h"

namespace filecall::spool {

struct ResponseWatchOptions {
  /// Watch requests/ too: needed to notice requests that others drop.
  bool requests = false;
  bool force_poll = false;
  /// Period of the timer scan while polling; grows with what a scan costs.
  Duration poll_period = milliseconds(100);
};

/// Tells a client that a file may have appeared or vanished. Hints, not facts: the owner looks at
/// the file. What no event tells, a scan tells: at start, after an overflow, when a directory was
/// replaced, and by a timer (a short one where no events arrive).
///
/// Passive like Source, one thread: poll poll_fd() and call on_readable(); call on_wake() when
/// next_wake() is reached; then take(). The Root must outlive it and is reopened by it when a
/// directory was replaced: ask `root.directories()` afresh for every use.
class ResponseWatch {
 public:
  enum class Place : std::uint8_t { kResponse, kRequest };
  struct Hint {
    Place place = Place::kResponse;
    std::string stem;
  };
  struct Taken {
    /// Each (place, stem) once.
    std::vector<Hint> hints;
    /// A whole scan ended since the last take(): every name that was there when it began and is of
    /// interest is (or was) among the hints, and what is absent may have vanished without an event.
    bool scanned = false;
  };
  /// Asked for every name seen; false drops it. Cheap, and no call back into this object. May
  /// change its mind later: a caller that becomes interested in a stem looks at the file once, then
  /// waits.
  using Interest = std::function<bool(Place place, std::string_view stem)>;

  static Result<std::unique_ptr<ResponseWatch>> open(Root& root,
                                                     const ResponseWatchOptions& options,
                                                     Interest interest, MonotonicTime now);
  virtual ~ResponseWatch() = default;

  /// Constant for the object's life; -1: none, the timer alone.
  virtual int poll_fd() const = 0;
  virtual void on_readable(MonotonicTime now) = 0;
  virtual Deadline next_wake() const = 0;
  virtual void on_wake(MonotonicTime now) = 0;
  virtual Taken take() = 0;
  /// Asks for a scan soon (e.g. after the machine slept).
  virtual void request_scan(MonotonicTime now) = 0;

  virtual WatchMode mode() const = 0;
};

}  // namespace filecall::spool
