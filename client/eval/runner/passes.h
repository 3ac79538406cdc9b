// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/engine/interruption.h"
#include "client/engine/orchestrator.h"
#include "client/eval/runner/asking.h"
#include "client/eval/runner/assessor.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/evaluation_run.h"
#include "client/eval/runner/standstill.h"
#include "client/service/ledger.h"
#include "client/service/run_scope.h"
#include "spool/name_list.h"
#include "spool/root.h"

namespace filecall::client {

/// The passes of one evaluation, as one feed of questions: while it follows, passes over what has
/// ended since the last one, with pauses; at the end one over everything. It follows until all that
/// is selected has ended and no other client works on the root. One thread.
class Passes final : public SubmissionFeed, public RunObserver {
 public:
  /// All must outlive it.
  Passes(const spool::Root& root, Ledger& ledger, const Selection& selection,
         const RunChoice& choice, Assessor& assessor, EvaluationObserver& observer,
         const Interruption& interruption, bool follows);

  Result<Offer> next() override;
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override;
  void on_notice(const std::string& text) override { observer_.on_notice(text); }

  /// Of the last pass: candidates that have not ended.
  std::int64_t unfinished() const;
  /// Of the last pass: candidates that have ended, and that it has not finished.
  std::int64_t never_graded() const { return asking_ ? asking_->not_finished() : 0; }
  /// Of the last pass: requests that are not selected.
  std::int64_t not_selected() const;
  /// Of the last pass: candidates whose files gc removed.
  std::int64_t removed() const { return candidates_.removed; }
  /// Of the last pass: candidates that ended, and whose files somebody removed or damaged.
  std::int64_t missing() const { return asking_ ? asking_->missing() : 0; }
  /// Of the last pass: results of agents' runs that have later ones.
  std::int64_t superseded() const { return candidates_.superseded; }
  /// The runs of the last pass; what else there is, for people.
  const std::vector<std::string>& run_ids() const { return run_ids_; }
  const std::string& scope_notice() const { return scope_notice_; }
  /// The first failure of finishing a candidate.
  std::optional<Error> error() const;

 private:
  Result<void> begin_pass();
  /// Decides what follows a pass that has no question left.
  void end_pass();
  Result<Candidates> list_new(const RunScope& scope);
  void report_standstill(MonotonicTime now);

  const spool::Root& root_;
  Ledger& ledger_;
  const Selection& selection_;
  const RunChoice& choice_;
  Assessor& assessor_;
  EvaluationObserver& observer_;
  const Interruption& interruption_;
  const bool follows_;

  bool is_last_;            ///< The pass (or the next one, between two) is over everything.
  bool is_alone_ = false;   ///< When this pass began.
  bool is_driven_ = false;  ///< Likewise: a client drives requests, be it a watch.
  Standstill standstill_;
  bool has_asked_ = false;  ///< Anything, so far.
  bool columns_checked_ = false;
  MonotonicTime begun_{};
  MonotonicTime next_pass_{};
  spool::NameHashSet known_;  ///< What was looked at while following.
  std::int64_t seen_ = 0;     ///< Ended candidates, while following.
  Candidates candidates_;
  RunMetadata metadata_;  ///< Of this pass.
  std::vector<std::string> run_ids_;
  std::string scope_notice_;
  std::optional<Asking> asking_;  ///< The pass; absent between two.
};

}  // namespace filecall::client
