// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/cli/output.h"
#include "client/cli/worker_notice.h"
#include "client/engine/orchestrator.h"
#include "os/clock.h"

namespace filecall::client {

/// What is said on standard error while one request is waited for.
class CallView final : public RunObserver {
 public:
  CallView(const OrchestratorOptions& options, bool is_quiet)
      : is_quiet_(is_quiet),
        worker_notice_(options.root, options.worker_use == WorkerUse::kStart) {}
  void on_outcome(const RequestOutcome&) override {}
  void on_progress(const RunProgress& progress) override {
    const auto notice = worker_notice_.look(progress.worker, monotonic_now());
    if (notice) on_notice(*notice);
  }
  void on_notice(const std::string& text) override {
    if (!is_quiet_) print_error(text);
  }

 private:
  bool is_quiet_;
  WorkerNotice worker_notice_;
};

}  // namespace filecall::client
