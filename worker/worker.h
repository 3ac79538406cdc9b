// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/worker_status.h"
#include "worker/config/config.h"
#include "worker/core/dispatcher.h"
#include "worker/core/lifecycle.h"
#include "worker/engine/directory_source.h"
#include "worker/engine/loop_pool.h"
#include "worker/exec/registry/registry.h"
#include "worker/jobs/job_runner.h"
#include "worker/jobs/session.h"
#include "worker/service_manager.h"
#include "worker/source_poll.h"
#include "worker/turn_loop.h"

namespace filecall::worker {

/// How serving ended.
struct WorkerEnd {
  bool has_lost_root = false;  ///< A root was taken away from it; otherwise it was asked to end.
  /// Something still runs (a second signal): its guards end it when this process is gone. The
  /// worker must not be destroyed; end the process.
  bool is_abandoned = false;
  /// Answers were given up that no disk took. Their requests stay pending.
  bool has_unwritten = false;
};

/// The server: composes sources, dispatcher, executors and job runner on one loop. turn() takes a
/// bounded amount of work once per loop iteration. One thread.
class Worker {
 public:
  /// Opens every root of the configuration. Failures: a root's (DirectorySource::open), bad tool
  /// declarations.
  static Result<std::unique_ptr<Worker>> open(const Config& config);

  /// What SIGHUP does. `read`: the configuration as it is now. `log`: reopens the log that a
  /// configuration names. Whatever fails leaves things as they were.
  struct Reload {
    std::function<Result<Config>()> read;
    std::function<Result<void>(const Config&)> log;
  };
  void on_reload(Reload reload) { reload_ = std::move(reload); }

  /// Serves until stopped by SIGTERM/SIGINT, or until everything is answered with `drain`.
  WorkerEnd run();

 private:
  struct ServedRoot {
    std::unique_ptr<DirectorySource> source;
    Session session;
    std::unique_ptr<SourcePoll> poll;
  };

  explicit Worker(const Config& config);
  Result<void> open_roots();
  Result<void> open_commands();

  /// Leaves in every root how this worker was started.
  void record_launch();

  void on_signal(int signal);
  /// Takes what may change while it runs; requests that were accepted keep what they came under.
  void reload();
  Result<void> take_config(Config fresh);
  /// What the registry knows, for the status file.
  void note_commands();
  void turn();
  bool take_arrivals(MonotonicTime now);
  /// What people have paused by now: looked at before anything starts.
  void heed_pauses();
  /// All that is left is paused.
  bool is_only_held() const;
  bool has_intake(const Session& session) const;
  void advance_lifecycle(MonotonicTime now);
  void enter(Phase phase);
  Deadline next_wake(MonotonicTime now);
  void heartbeat(MonotonicTime now);
  void publish_status(WorkerState state);
  void give_up_lost_roots(MonotonicTime now);
  bool is_busy() const;
  bool is_stuck() const;
  bool is_drained() const;

  Config config_;
  TurnLoop loop_;
  LoopPool pool_;
  std::vector<std::unique_ptr<ServedRoot>> roots_;
  Dispatcher dispatcher_;
  std::unique_ptr<Registry> registry_;
  std::vector<std::unique_ptr<Registry>> retired_;  ///< Until nothing runs that they began.
  std::unique_ptr<JobRunner> runner_;
  ServiceManager service_manager_;
  WorkerStatus facts_;  ///< What is the same in every status file.

  Phase phase_ = Phase::kRunning;
  int signals_ = 0;
  bool waits_for_all_ = false;  ///< What runs may take as long as it takes.
  bool has_terminal_ = false;   ///< SIGHUP says that it is gone.
  Reload reload_;
  Deadline grace_;
  Deadline next_heartbeat_;
  MonotonicTime spin_until_{};
  MonotonicTime next_lock_look_{};
  std::uint64_t endings_seen_ = 0;  ///< When the last turn began.
  bool was_busy_ = false;
  bool has_lost_root_ = false;
  std::size_t first_root_ = 0;
};

}  // namespace filecall::worker
