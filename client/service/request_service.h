// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/engine/interruption.h"
#include "client/engine/orchestrator.h"
#include "client/service/open_run.h"
#include "ipc/request.h"

namespace filecall::client {

/// "call-20261121T023445Z-1a2b3c4d" for the prefix "call": sorts by time, is new every time.
std::string new_request_id(std::string_view prefix);
/// The same without a prefix.
std::string new_run_id();

/// A request whose members were put together, as what is submitted; checked like a file's text.
/// invalid_argument: says what is wrong.
Result<Submission> submission_of(const Request& request);

/// What a person asks for while requests are worked on: submit one and wait for it, bring a batch
/// to its end, take what others drop. (What is asked between runs: Ledger.) Blocks; one thread, but
/// for the interruption.
class RequestService {
 public:
  /// Failures: as Orchestrator::open's.
  static Result<std::unique_ptr<RequestService>> open(const OrchestratorOptions& options);
  RequestService(const RequestService&) = delete;
  RequestService& operator=(const RequestService&) = delete;

  /// What ends everything that blocks here.
  Interruption& interruption() { return engine_->interruption(); }

  /// Takes responsibility for it; wait() returns the outcome. Several may be in flight.
  /// already_exists: another request has the id.
  Result<void> submit(Submission submission);
  struct Waited {
    RunEnd end = RunEnd::kDone;
    std::optional<RequestOutcome> outcome{};  ///< Absent: it has not ended, `end` or `until` did.
  };
  /// Drives all that was submitted until `id` has ended. An outcome is handed out once.
  /// not_found: it was not submitted here.
  Result<Waited> wait(std::string_view id, Deadline until, RunObserver& observer);

  /// What a run may have asked before: for limits, which count it.
  using EarlierFeed = std::function<Result<std::unique_ptr<SubmissionFeed>>()>;
  struct BatchEnd {
    RunEnd end = RunEnd::kDone;
    std::string limit_reason{};  ///< kLimit: which one, and what is left; for people.
  };
  /// Brings every submission of a feed to its end, within the limits of the options: what earlier
  /// runs used counts. Nothing that was submitted may be in flight.
  Result<BatchEnd> run(SubmissionFeed& feed, const EarlierFeed& earlier_feed,
                       RunObserver& observer);
  /// Takes requests that nobody owns until the interruption, or with `until_idle` until all of them
  /// have ended. One per root: unavailable otherwise.
  /// Before anything else that is asked here.
  Result<RunEnd> watch(RunObserver& observer, bool until_idle) {
    return engine_->watch(observer, until_idle);
  }

 private:
  RequestService(OrchestratorOptions options, std::unique_ptr<Orchestrator> engine);

  OrchestratorOptions options_;
  std::unique_ptr<Orchestrator> engine_;
  std::optional<OpenRun> submitted_;
};

}  // namespace filecall::client
