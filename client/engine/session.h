// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "client/engine/flight.h"
#include "client/engine/orchestrator.h"
#include "client/engine/owner_lock.h"
#include "client/engine/timer_queue.h"
#include "client/engine/worker_keeper.h"
#include "client/store/state_store.h"
#include "loop/event_loop.h"
#include "spool/response_watch.h"
#include "spool/root.h"

namespace filecall {
struct Response;
}

namespace filecall::client {

class AnswerCache;
class Session;

/// Where a session's flights come from.
class Intake {
 public:
  virtual ~Intake() = default;
  /// Adopts what the session has room for; not more than a turn's worth.
  virtual Result<void> take(Session& session, MonotonicTime now) = 0;
  /// Nothing more will come: the session ends with its last flight.
  virtual bool is_exhausted() const = 0;
  /// When take() should be called although nothing happened.
  virtual Deadline next_wake() const = 0;
  virtual bool wants_requests() const { return false; }
  /// A request file of which the session knows nothing was seen.
  virtual void on_request(std::string_view) {}
};

/// One run of the engine. A turn: look at what happened (responses, timers, the worker), let the
/// pure machine decide, write all changed rows in one transaction, then do what was decided. So
/// every step that others can see is preceded by a durable row. One thread.
class Session {
 public:
  Session(const OrchestratorOptions& options, spool::Root& root, StateStore& store,
          const OwnerLock& owner, EventLoop& loop, const std::atomic<bool>& interrupted,
          RunObserver& observer, AnswerCache* cache);

  Result<RunEnd> run(Intake& intake);

  /// What earlier runs used, all of it counted: it is not added again request by request.
  void begin_with(const RunTotals& earlier);
  /// Which limit ended the run, and what is left; empty: none.
  std::string limit_reason() const;

  // For intakes.
  bool has_room() const;
  /// Whether a request would be taken, or left when the run is stopping.
  bool wants_more() const { return is_stopping() || has_room(); }
  /// A limit is reached: what is in flight is brought to its end, nothing begins.
  bool is_stopping() const { return !stop_reason_.empty(); }
  /// Reports a request that ended earlier; counts any other as left.
  Result<void> leave(const Submission& submission);
  bool is_in_flight(std::string_view id) const { return flights_.contains(id); }
  /// Takes responsibility for a request: new, continued, followed, or ended already. `bytes`
  /// empty: its file is there and is not to be dropped by us.
  Result<void> adopt(Submission submission);
  spool::Root& root() { return root_; }
  StateStore& store() { return store_; }
  const OwnerLock& owner() const { return owner_; }

 private:
  using FlightMap =
      std::unordered_map<std::string, std::unique_ptr<Flight>, StringHash, std::equal_to<>>;

  // session_limits.cc: what is used up.
  RunTotals totals() const;
  void count(Flight& flight, const Response& response);
  void count_earlier(const RequestRow& row);
  void note_end(const Flight& flight);
  void heed_limits();
  bool is_stopped(const Intake& intake) const;

  // session_cache.cc
  /// Whether the cache had the answer: the flight has ended then.
  Result<bool> answer_from_cache(Flight& flight);
  void keep_in_cache(const Flight& flight, const Response& response);

  // session.cc: the loop.
  Result<void> turn(Intake& intake);
  Result<void> open_watch(Intake& intake);
  Result<void> tend_worker();
  void take_hints(Intake& intake);
  void take_timers();
  void report_progress(bool is_last);
  Deadline next_wake(const Intake& intake) const;

  // session_flights.cc: one flight.
  Flight& insert(RequestRow row);
  /// Whether a row and a submission of the same id ask for the same, as far as can be told.
  bool is_same_content(const RequestRow& stored, const RequestRow& fresh,
                       std::string_view bytes) const;
  void begin(Flight& flight);
  Result<void> follow();
  Result<void> take_cancel_wishes();
  void reject(const RequestRow& row, const std::string& reason);
  /// Whether the event changed the flight.
  bool apply(Flight& flight, const Event& event);
  void look(Flight& flight);
  void look_at_unreadable(Flight& flight, const spool::FileIdentity& identity, const Error& error);
  void on_timer(Flight& flight, TimerKind kind);
  void touch(Flight& flight);
  static bool is_over(const Flight& flight);
  void finish(Flight& flight);

  // session_flush.cc: making durable, then doing.
  Result<void> begin_transaction();
  Result<void> flush();
  Result<void> write_rows();
  Result<void> act(Flight& flight);
  Result<void> act_once(Flight& flight, const Action& action);
  Result<void> drop(const std::vector<Flight*>& flights);
  Result<void> reconcile(Flight& flight);
  void arm(Flight& flight, Duration delay);

  const OrchestratorOptions& options_;
  spool::Root& root_;
  StateStore& store_;
  const OwnerLock& owner_;
  EventLoop& loop_;
  const std::atomic<bool>& interrupted_;
  RunObserver& observer_;
  AnswerCache* cache_;  ///< Null: none.
  Random random_;
  WorkerKeeper keeper_;
  WorkerKeeper::Gate gate_ = WorkerKeeper::Gate::kClosed;
  std::unique_ptr<spool::ResponseWatch> watch_;

  FlightMap flights_;
  TimerQueue timers_;
  std::vector<Flight*> changed_;       ///< Dirty, or with actions; each once.
  std::vector<Flight*> dropping_;      ///< Collected by act() for one drop().
  std::vector<RequestRow> last_rows_;  ///< Of flights that ended before their last row was written.
  std::unordered_map<std::string, bool> owner_liveness_;  ///< Remembered within a turn.
  bool in_transaction_ = false;
  int waiting_ = 0;  ///< Flights in WAITING: outside the window.
  MonotonicTime now_{};
  MonotonicTime next_follow_{};
  MonotonicTime next_progress_{};
  RunProgress progress_;

  std::int64_t errors_ = 0;  ///< Given up, also in earlier runs.
  std::int64_t unused_ = 0;  ///< Succeeded in this run and used nothing.
  std::int64_t left_ = 0;    ///< Not begun, because a limit was reached.
  bool has_earlier_ = false;
  std::string stop_reason_;
};

}  // namespace filecall::client
