// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/core/spend.h"
#include "client/core/submission.h"
#include "client/engine/interruption.h"
#include "client/engine/orchestrator.h"
#include "client/eval/evaluation.h"
#include "client/eval/spec.h"
#include "client/runs/run_metadata.h"
#include "client/service/ledger.h"
#include "client/service/run_scope.h"
#include "spool/root.h"

namespace filecall::client {

class Assessor;

/// What the names of evaluations' clients end with: they do not keep each other waiting.
inline constexpr std::string_view kEvaluationRole = "eval";

/// A moment's picture of an evaluation.
struct EvaluationProgress {
  std::int64_t candidates = 0;  ///< Finished requests that were listed in this pass.
  std::int64_t looked_at = 0;   ///< Of them.
  std::int64_t waiting = 0;     ///< For judges or programs.
  std::string worker;           ///< "ready", ...; empty while nothing is asked.
};

/// Called when something happens; must not block.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  /// Once for each selected request that has ended. `is_reused`: it was evaluated before.
  virtual void on_evaluated(std::string_view id, const Evaluation& evaluation, bool is_reused) = 0;
  /// Everything reported so far is void and comes again: requests changed while they were followed.
  virtual void on_restart() = 0;
  virtual void on_progress(const EvaluationProgress& progress) = 0;
  virtual void on_notice(const std::string& text) = 0;
};

struct EvaluationOptions {
  /// For the questions of judges and programs. No worker is needed when there are none.
  OrchestratorOptions engine;
  /// Go on until everything that is selected has ended and no other client works on the root.
  bool follows = false;
  RunChoice choice;
};

struct EvaluationEnd {
  RunEnd end = RunEnd::kDone;
  std::int64_t unfinished = 0;    ///< Candidates that have not ended; not evaluated.
  std::int64_t never_graded = 0;  ///< Candidates that ended, and that it did not come to.
  std::int64_t not_selected = 0;
  std::int64_t removed = 0;     ///< Candidates that ended, and whose files gc removed.
  std::int64_t missing = 0;     ///< The same, and somebody removed or damaged them.
  std::int64_t superseded = 0;  ///< Earlier results of agents' runs that went on.
  std::vector<std::string> run_ids{};
  std::string scope_notice{};  ///< What else there is to look at; for people.
  std::string limit_reason{};  ///< RunEnd::kLimit: which.
};

/// One evaluation of a root: looks at every finished request that is selected, asks what its
/// graders ask, writes to eval/. Requests and responses of others are only read. Memory: some
/// 50 bytes a candidate, some hundred for each that waits for a judge. It may be killed at any
/// instant: what was written stays, and the same questions get the answers that are there. One
/// thread.
class EvaluationRun {
 public:
  /// `spec` must outlive it. Failures: the root's (not_found when it is not there), the database's.
  static Result<std::unique_ptr<EvaluationRun>> open(const EvalSpec& spec,
                                                     const EvaluationOptions& options);
  Interruption& interruption() { return engine_->interruption(); }
  Result<EvaluationEnd> run(EvaluationObserver& observer);
  /// Visits the questions that it would ask now, and what those have used that ended in an earlier
  /// evaluation; asks and writes nothing.
  using QuestionVisit =
      std::function<void(const Submission& question, const std::optional<Spend>& ended)>;
  Result<void> each_question(EvaluationObserver& observer, const QuestionVisit& visit);

 private:
  /// What the questions about all that has ended have used, those of grades that are there as well.
  Result<RunTotals> earlier_use(Assessor& assessor);
  EvaluationRun(const EvalSpec& spec, const EvaluationOptions& options, spool::Root root,
                std::unique_ptr<Ledger> ledger, std::unique_ptr<Orchestrator> engine);

  const EvalSpec& spec_;
  EvaluationOptions options_;
  spool::Root root_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Orchestrator> engine_;
  RunMetadata earlier_metadata_;  ///< What the assessor has until the first pass begins.
};

}  // namespace filecall::client
