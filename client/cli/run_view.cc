// SPDX-License-Identifier: MIT
#include "client/cli/run_view.h"

#include <unistd.h>

#include <utility>

#include "client/cli/output.h"
#include "os/clock.h"

namespace filecall::client {

RunView::RunView(const OrchestratorOptions& options, std::int64_t total, bool is_quiet,
                 bool is_json)
    : ledger_{.root = options.root,
              .allow_shared_root = options.allow_shared_root,
              .durability = options.durability},
      layout_(options.root),
      summary_(wall_now()),
      display_(STDERR_FILENO, progress_style(STDERR_FILENO, is_quiet, is_json), error_colour(),
               monotonic_now()),
      worker_notice_(options.root, options.worker_use == WorkerUse::kStart),
      lanes_(layout_) {
  summary_.root = options.root;
  summary_.total = total;
}

Result<void> RunView::open_outputs(const std::string& out, const std::string& out_openai,
                                   const std::string& report) {
  if (!out.empty()) {
    TRY_ASSIGN(ResultsWriter writer, ResultsWriter::create(out, layout_));
    results_.emplace(std::move(writer));
  }
  if (!out_openai.empty()) {
    TRY_ASSIGN(OpenAiWriter writer, OpenAiWriter::create(out_openai, layout_));
    openai_results_.emplace(std::move(writer));
  }
  if (!report.empty()) {
    TRY_ASSIGN(ReportFolder folder, ReportFolder::create(report));
    report_.emplace(std::move(folder));
  }
  return {};
}

Result<void> RunView::begin(const std::string& run_id) {
  summary_.run_id = run_id;
  if (!results_) return {};
  TRY_ASSIGN(RunMetadata metadata, RunMetadata::open(layout_, {run_id}));
  results_->use_metadata(std::move(metadata));
  return {};
}

void RunView::on_outcome(const RequestOutcome& outcome) {
  summary_.add(outcome);
  if (results_) results_->add(outcome);
  if (openai_results_) openai_results_->add(outcome);
}

void RunView::on_progress(const RunProgress& progress) {
  summary_.set_retries(progress.retries, wall_now());
  summary_.spend = progress.spend;
  ProgressView view;
  view.by_state = progress.by_state;
  view.earlier = summary_.from_earlier_runs();
  view.retries = progress.retries;
  view.worker = progress.worker;
  view.total = summary_.total;
  view.spend = progress.spend;
  view.tokens_now = progress.spend_now.tokens();
  const MonotonicTime now = monotonic_now();
  view.lanes = lanes_.at(now);
  if (const auto notice = worker_notice_.look(progress.worker, now)) on_notice(*notice);
  display_.update(std::move(view), now);
}

void RunView::on_notice(const std::string& text) { display_.notice("filecall: " + text); }

Result<void> RunView::finish(bool was_interrupted) {
  display_.clear();
  summary_.finish(wall_now(), was_interrupted);
  // Each is completed, whatever became of the others.
  const Result<void> results = results_ ? results_->finish() : Result<void>();
  const Result<void> openai = openai_results_ ? openai_results_->finish() : Result<void>();
  // Without a run there was nothing to do, and nothing to report on.
  if (summary_.run_id.empty()) report_.reset();
  if (report_) TRY(report_->finish(ledger_, summary_));
  return results ? openai : results;
}

}  // namespace filecall::client
