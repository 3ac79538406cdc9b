// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "client/channel/request_channel.h"
#include "client/engine/driver_options.h"
#include "client/engine/flight.h"
#include "client/engine/timer_queue.h"

namespace filecall::client {

/// Flies one request at a time: looks at answers, lets the pure machine decide, keeps the timers,
/// and lists what has something to be made durable or done. Does none of that itself. One thread.
class Pilot {
 public:
  /// `options` and `channel` must outlive it.
  Pilot(const DriverOptions& options, RequestChannel& channel)
      : options_(options), channel_(channel), random_(options.seed) {}

  void set_now(MonotonicTime now) { now_ = now; }
  MonotonicTime now() const { return now_; }
  /// Attempts' times run only while there is a server.
  void open_gate() { is_open_ = true; }
  void close_gate() { is_open_ = false; }
  bool is_open() const { return is_open_; }
  /// While something is paused, what the server has not begun does not run out of time. Whether
  /// something was paused before.
  bool set_paused(bool is_paused) { return std::exchange(is_paused_, is_paused); }
  /// The time of an attempt begins again unless the server had begun it before `unchanged_at`.
  void restart_time(Flight& flight, WallTime unchanged_at);

  /// Submits it to the machine: new, or continued.
  void begin(Flight& flight);
  /// Whether the event changed the flight.
  bool apply(Flight& flight, const Event& event);
  /// Gives up what is in NEW with its refusal, unless its request is there already.
  bool refuse(Flight& flight);
  void look(Flight& flight);
  /// The request was there before us: is it this request, and how far did it get?
  void reconcile(Flight& flight);
  /// A price that is given now counts for what was counted without one. Whether one does.
  bool price_again(RequestRow& row) const;
  /// Another request has its id: it ends without having been asked.
  void reject(Flight& flight);
  void cancel(Flight& flight);
  /// Asks for its end without counting that: the next run continues it.
  void withdraw(Flight& flight, CancelWish wish);
  /// The timer of a kArm* action that is due now; other actions have none.
  void arm_for(Flight& flight, const Action& action);
  /// What changes with the gate for a flight in POLLING.
  void heed_gate(Flight& flight);

  Deadline next_timer() const { return timers_.next(); }
  void take_timers();
  /// The timers that were due while the desk had it.
  void take_due(Flight& flight);
  /// Has something for the desk.
  void touch(Flight& flight);
  bool has_listed() const { return !listed_.empty(); }
  std::vector<Flight*> take_listed() { return std::exchange(listed_, {}); }
  /// Before a flight is destroyed.
  void forget(Flight& flight);

  std::vector<CacheEntry> take_cache_entries() { return std::exchange(cache_entries_, {}); }
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }
  void notice(std::string text) { notices_.push_back(std::move(text)); }

 private:
  void heed(Flight& flight, std::optional<ChannelAnswer> answer);
  void heed_unreadable(Flight& flight, const AnswerVersion& version, const Error& error);
  void heed_response(Flight& flight, Response response, const AnswerVersion& version);
  void on_timer(Flight& flight, TimerKind kind);
  void on_attempt_time(Flight& flight);
  void arm(Flight& flight, Duration delay);
  void stop_step_timer(Flight& flight);
  void infer(Flight& flight);

  const DriverOptions& options_;
  RequestChannel& channel_;
  Random random_;
  TimerQueue timers_;
  MonotonicTime now_{};
  bool is_open_ = false;
  bool is_paused_ = false;
  std::vector<Flight*> listed_;
  std::vector<CacheEntry> cache_entries_;
  std::vector<std::string> notices_;
};

}  // namespace filecall::client
