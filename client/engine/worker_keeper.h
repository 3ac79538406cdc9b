// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "client/core/cold_start.h"
#include "client/engine/orchestrator.h"
#include "client/engine/worker_process.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// Keeps a root supplied with a worker for as long as somebody waits for answers: looks at what is
/// there, starts one if allowed, notices its death, starts another, and stops trying when that does
/// not help. Loop thread.
class WorkerKeeper {
 public:
  enum class Gate : std::uint8_t { kClosed, kOpen, kNoWorker };
  using Notice = std::function<void(const std::string&)>;

  WorkerKeeper(const OrchestratorOptions& options, Notice notice);

  /// Looks, if it is time to. Starting a worker blocks until its process holds the lock.
  Gate tick(MonotonicTime now);
  /// From now on: only what is there is used.
  void start_none() { is_allowed_ = false; }
  /// Whether this root had a worker since, starting or ready: it may have what was dropped.
  bool has_seen_worker() const { return has_seen_worker_; }
  Deadline next_wake() const { return Deadline::at(next_look_); }
  /// "starting", "ready", "not running", ...
  const std::string& label() const { return label_; }

 private:
  void look(MonotonicTime now);
  /// While the gate is open: whether the worker behind it still lives.
  void check_alive(MonotonicTime now);
  void say_wait(const ServerEvidence& evidence, Duration waited);
  /// Whether the worker was stopped, so that the next one has the settings that are there now.
  bool renews_settings(const WorkerView& view, MonotonicTime now);
  void start(MonotonicTime now);
  void reap();
  bool may_start(MonotonicTime now) const;

  WorkerStart start_;
  bool is_allowed_;
  bool says_wait_;  ///< Once, if nobody is there and none may be started.
  bool has_seen_worker_ = false;
  bool has_settings_ = false;  ///< They were compared with those that are there now.
  ColdStartRules rules_;
  Notice notice_;

  Gate gate_ = Gate::kClosed;
  bool is_foreign_ = false;  ///< Open without a lock: a server that publishes no status.
  std::string label_ = "unknown";
  std::optional<MonotonicTime> waiting_since_;
  MonotonicTime next_look_{};
  MonotonicTime next_start_{};
  std::vector<MonotonicTime> starts_;  ///< Within the last kStartsWindow.
  pid_t child_ = 0;                    ///< Started by us and not reaped.
  UniqueFd process_;                   ///< pidfd of the worker behind an open gate.
};

}  // namespace filecall::client
