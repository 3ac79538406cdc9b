// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/channel/request_channel.h"
#include "client/core/submission.h"
#include "client/engine/answer_cache.h"
#include "client/engine/desk.h"
#include "client/engine/driver_options.h"
#include "client/engine/flight.h"
#include "client/engine/flight_map.h"
#include "client/engine/hint_gate.h"
#include "client/engine/pilot.h"
#include "client/engine/run_counts.h"

namespace filecall::client {

/// Brings requests to their ends: each submission becomes one outcome. Passive and long-lived:
/// submit at any time, wait for poll_fd() or next_wake(), call turn(), take the outcomes. A batch,
/// a watch and others may share one; each has a run of its own.
///
/// A turn looks at what happened (answers, timers, what the desk brings back), lets the pure
/// machine decide, and hands what was decided to the desk, which makes it durable and then does it.
/// While the desk has a request, nothing of it changes here. One thread; only the desk may block.
class Driver {
 public:
  /// `channel`, `desk` and `cache` (null: none) must outlive it. Failure: the channel cannot
  /// listen.
  static Result<std::unique_ptr<Driver>> open(DriverOptions options, RequestChannel& channel,
                                              Desk& desk, AnswerCache* cache, MonotonicTime now);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  /// Waits for the desk. What it had not been handed is found again as after a crash.
  ~Driver();

  /// Begins a run; its submissions carry the number.
  RunId begin_run(std::string batch);
  /// Drops what is still in flight, as a crash would; no outcome of it follows.
  void end_run(RunId run);
  /// Nothing of the run begins any more, and no attempt follows a failed one.
  void stop_run(RunId run);
  /// Asks the worker to give back what it has of the run; what executes, only with kWithdraw.
  void withdraw(RunId run, CancelWish wish);
  /// Attempts that the worker has or may have.
  std::int64_t running(RunId run) const { return running_attempts(flights_, run); }
  std::int64_t unheard(RunId run, CancelWish wish) {
    return unheard_cancels(flights_, run, wish, channel_);
  }
  /// Attempts that are due wait, until this is said to be over.
  void hold_retries(RunId run, bool holds) { runs_.at(run)->holds_retries = holds; }
  /// Submissions that were only looked up, and had not ended: nothing of them has begun.
  std::vector<Submission> take_unended(RunId run) {
    return std::exchange(runs_.at(run)->unended, {});
  }
  const RunCounts& counts(RunId run) const { return *runs_.at(run); }
  /// Of what is in flight; ended requests are in counts().
  std::array<std::int64_t, kRequestStateCount> states(RunId run) const {
    return states_of(flights_, run);
  }
  /// Whether everything of a stopped run stands where it can be left.
  bool is_at_rest(RunId run) const { return client::is_at_rest(flights_, run); }

  /// Takes responsibility for a request: new, continued, followed, or ended already. An id that is
  /// in flight already is asked for again when it has ended. The run must have begun.
  void submit(Submission submission);
  /// Asks the server to end it; its outcome follows. Nothing if it is not in flight here.
  void cancel(std::string_view id);
  /// Whether a server is ready. Until it is, nothing is dropped and no attempt's time runs.
  void set_server(bool is_ready, MonotonicTime now);
  /// What people have paused of what the server would start has changed. Meanwhile the time of what
  /// it has not begun does not run out, and it begins again when the pauses change or end.
  /// `unchanged_at`: when the pauses were last seen as they had been.
  void set_paused(bool is_paused, WallTime unchanged_at, MonotonicTime now) {
    if (!pilot_.set_paused(is_paused)) return;
    pilot_.set_now(now);
    for (auto& [id, flight] : flights_) pilot_.restart_time(*flight, unchanged_at);
  }

  /// Readable when turn() has something to do; constant; -1: by time alone.
  int poll_fd() const { return hints_.poll_fd(); }
  Deadline next_wake() const;
  /// Never blocks but for what its desk may (see InlineDesk). Failure: the desk's, or the
  /// channel's; what is in flight is then as after a crash.
  Result<void> turn(MonotonicTime now);

  std::vector<RequestOutcome> take_outcomes() { return std::exchange(outcomes_, {}); }
  /// For people.
  std::vector<std::string> take_notices() { return pilot_.take_notices(); }
  /// Requests of others that were seen, with `follows_requests`.
  std::vector<std::string> take_requests() { return std::exchange(requests_, {}); }

  bool is_idle() const { return flights_.empty(); }
  bool is_in_flight(std::string_view id) const { return flights_.contains(id); }

 private:
  Driver(DriverOptions options, RequestChannel& channel, AnswerCache* cache, Desk& desk);

  void ask_claim(Flight& flight, std::string command);
  /// Whether the cache has the answer: the flight has ended then.
  bool answer_from_cache(Flight& flight);
  /// Whether it is not to be asked, and was not dropped before: it is given up then.
  bool refuse(Flight& flight);
  /// Whether there were any.
  bool take_hints();
  void look_around();
  Result<void> take_back();
  void take_report(Flight& flight);
  /// False: it is not ours to drive, or not any more.
  bool take_claim(Flight& flight);
  void continue_claimed(Flight& flight, Claim claim);
  void take_deferred(Flight& flight);
  void hand_in();
  void hand_over(Flight& flight);
  static bool is_over(const Flight& flight);
  void report(Flight& flight);
  void reject(Flight& flight, const std::string& reason);
  void remove(Flight& flight);

  DriverOptions options_;
  RequestChannel& channel_;
  AnswerCache* cache_;
  Desk& desk_;
  HintGate hints_;
  Pilot pilot_;

  std::map<RunId, std::unique_ptr<RunCounts>> runs_;
  RunId next_run_ = 0;
  FlightMap flights_;
  DeskBatch batch_;
  std::vector<Flight*> at_desk_;
  bool is_batch_out_ = false;
  std::vector<std::string> heard_cancel_requests_;
  bool wants_cancel_requests_ = false;
  MonotonicTime next_look_{};  ///< For cancel requests, and for what others drive.
  std::vector<RequestOutcome> outcomes_;
  std::vector<std::string> requests_;
};

}  // namespace filecall::client
