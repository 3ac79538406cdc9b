// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/batch/batch.h"
#include "client/cli/options.h"
#include "client/cli/worker_notice.h"
#include "client/engine/orchestrator.h"
#include "client/report/items/report_folder.h"
#include "client/report/openai_writer.h"
#include "client/report/progress_display.h"
#include "client/report/results_writer.h"
#include "client/report/run_summary.h"
#include "client/report/worker_lanes.h"
#include "client/runs/run_record.h"
#include "client/service/earlier_responses.h"
#include "client/turns/runner/conversation_run.h"

namespace filecall::client {

/// Shows and records a run: progress on standard error, summary, results file, report folder.
class RunView final : public RunObserver, public ConversationObserver {
 public:
  /// `is_json`: progress lines are for programs.
  RunView(const OrchestratorOptions& options, const BatchCheck& check, bool is_quiet, bool is_json);

  /// Opens what --out, --out-openai and --report name (empty: not asked for); before the run, so
  /// that a wrong path costs nothing.
  Result<void> open_outputs(const std::string& out, const std::string& out_openai,
                            const std::string& report);

  /// The run whose requests come; after the outputs were opened. Failure: its list's.
  Result<void> begin(const RunRecord& run);

  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override;
  void on_notice(const std::string& text) override;
  void on_step(const RequestOutcome& outcome, bool is_tolerated) override;
  void on_conversation(const ConversationEnd& end, const RequestOutcome& last) override;
  void on_requests_added(std::int64_t added) override { summary_.total += added; }

  /// Ends the display and completes the files. Failure: one of them is not there.
  Result<void> finish(bool was_interrupted);
  RunSummary& summary() { return summary_; }
  const std::optional<ReportFolder>& report() const { return report_; }

 private:
  void remember(const RequestOutcome& outcome);

  LedgerOptions ledger_;  ///< How the report reads the root.
  spool::Layout layout_;
  RunSummary summary_;
  ProgressDisplay display_;
  WorkerNotice worker_notice_;
  WorkerLanes lanes_;
  EarlierResponses earlier_responses_;
  std::optional<ResultsWriter> results_;
  std::optional<OpenAiWriter> openai_results_;
  std::optional<ReportFolder> report_;
};

}  // namespace filecall::client
