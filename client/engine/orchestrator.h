// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/core/price_table.h"
#include "client/core/request_state.h"
#include "client/core/retry_policy.h"
#include "client/core/run_limits.h"
#include "client/core/submission.h"
#include "client/engine/interruption.h"
#include "client/engine/submission_feed.h"
#include "spool/publish.h"

namespace filecall::client {

class Driver;
class Intake;
class RequestChannel;

/// A moment's picture of a run, for progress displays.
struct RunProgress {
  std::array<std::int64_t, kRequestStateCount> by_state{};  ///< Indexed by RequestState.
  std::int64_t submitted = 0;
  std::int64_t retries = 0;
  std::string worker;  ///< "starting", "ready", "not running", ...
  Spend spend;         ///< Of the whole batch, as far as it is known.
  Spend spend_now;     ///< Of this run.
};

/// Called when something happens, on the loop thread. Must not block.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_outcome(const RequestOutcome& outcome) = 0;
  virtual void on_progress(const RunProgress& progress) = 0;
  /// For people: a worker started, died, was restarted; a file that could not be read; ...
  virtual void on_notice(const std::string& text) = 0;
};

enum class WorkerUse : std::uint8_t {
  kStart,  ///< Start one if none lives; restart it when it dies (bounded).
  kNone,   ///< Use only what is there.
};

struct OrchestratorOptions {
  std::string root;
  bool allow_shared_root = false;
  RetryPolicy retry;
  Duration attempt_timeout = std::chrono::minutes(10);  ///< `--timeout`
  Duration cold_start_delay = seconds(20);
  int window = 256;  ///< Requests in flight.
  WorkerUse worker_use = WorkerUse::kStart;
  std::string worker_config;  ///< --config of the worker; empty: what the root remembers.
  Durability durability = Durability::kFull;
  std::optional<Durability> worker_durability;  ///< Of a worker that is started.
  std::uint64_t seed = 0;                       ///< Of the jitter.
  std::string batch;  ///< Name that the requests' rows carry; empty: none.
  std::string role;   ///< Ends this client's name, for others to see; empty: none.
  /// How long a worker that was there before and is gone may take to come back (kNone).
  Duration worker_patience = seconds(5);
  Duration cancel_patience = seconds(5);  ///< How long a cancelled attempt's answer is awaited.
  RunLimits limits;                       ///< Of run().
  std::string cache;                      ///< Directory of answers; empty: none.
  bool cache_all = false;                 ///< Also answers that may differ the next time.
  std::optional<int> priority;            ///< Of requests that state none; absent: as they are.
  TokenPrices prices;                     ///< For answers that have no cost of their own.
};

enum class RunEnd : std::uint8_t {
  kDone,         ///< The feed is exhausted and every submission has its final state.
  kInterrupted,  ///< It was asked to end; state is kept, running again continues.
  kNoWorker,     ///< No live worker and none could be (or was allowed to be) started.
  kLimit,        ///< A limit was reached, and requests are left; running again continues.
};

/// Runs and watches on a root directory: a driver with all that it needs (the root, the database,
/// a thread for the disk, the worker's process), and the loop that turns it. One thread.
class Orchestrator final {
 public:
  /// Failures: the root's (see spool::Root), the database's, unavailable, another configuration of
  /// the live worker (see check_worker_config).
  static Result<std::unique_ptr<Orchestrator>> open(const OrchestratorOptions& options);
  Orchestrator(const Orchestrator&) = delete;
  Orchestrator& operator=(const Orchestrator&) = delete;
  ~Orchestrator();

  /// Brings every submission of `feed` to its end. Requests owned by another live client are
  /// followed, not driven. Blocks; signals are the caller's (interruption()). `earlier`: what
  /// earlier runs of the feed have used, all of it; absent: what the rows tell that it takes up.
  Result<RunEnd> run(SubmissionFeed& feed, RunObserver& observer,
                     const std::optional<RunTotals>& earlier = {});
  /// Why run() ended with kLimit, and how many requests it left; for people.
  const std::string& limit_reason() const { return limit_reason_; }
  /// Takes requests that nobody owns until interruption(), or with `until_idle` until all of them
  /// have ended. One per root: unavailable otherwise.
  Result<RunEnd> watch(RunObserver& observer, bool until_idle = false);
  /// What ends run(), watch() and drive() with kInterrupted.
  Interruption& interruption();

  /// The driver, for intakes of the caller's own; begins to listen when it is asked for first.
  Result<Driver*> driver() { return start(false); }
  RequestChannel& channel();
  /// The loop of all of these: turns the driver until the intake is over, with a worker for as long
  /// as something is in flight.
  Result<RunEnd> drive(Intake& intake, RunObserver& observer);

 private:
  struct Parts;
  explicit Orchestrator(std::unique_ptr<Parts> parts);

  Result<Driver*> start(bool follows_requests);
  void report_progress(const Intake& intake, const std::string& worker,
                       RunObserver& observer) const;

  std::unique_ptr<Parts> parts_;
  std::string limit_reason_;
};

}  // namespace filecall::client
