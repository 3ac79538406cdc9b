// SPDX-License-Identifier: MIT
#include "client/cli/run_view.h"

#include <unistd.h>

#include <utility>

#include "client/cli/output.h"
#include "ipc/limits.h"
#include "ipc/worker_status.h"
#include "os/clock.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr Duration kLanesEvery = seconds(1);

}  // namespace

RunView::RunView(const OrchestratorOptions& options, std::int64_t total, bool is_quiet,
                 bool is_json)
    : ledger_{.root = options.root,
              .allow_shared_root = options.allow_shared_root,
              .durability = options.durability},
      layout_(options.root),
      summary_(wall_now()),
      display_(STDERR_FILENO, progress_style(STDERR_FILENO, is_quiet, is_json), error_colour(),
               monotonic_now()),
      worker_notice_(options.root, options.worker_use == WorkerUse::kStart) {
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

void RunView::on_outcome(const RequestOutcome& outcome) {
  summary_.add(outcome);
  if (results_) results_->add(outcome);
  if (openai_results_) openai_results_->add(outcome);
  if (report_) report_->add(outcome.request_id);
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
  view.lanes = lanes(now);
  if (const auto notice = worker_notice_.look(progress.worker, now)) on_notice(*notice);
  display_.update(std::move(view), now);
}

const std::vector<ProgressLane>& RunView::lanes(MonotonicTime now) {
  if (now < next_lanes_) return lanes_;
  next_lanes_ = now + kLanesEvery;
  lanes_.clear();
  const auto bytes = read_regular_file(layout_.worker_status(), limits::kRequestBytes);
  const auto status = bytes ? parse_worker_status(*bytes) : Result<WorkerStatus>(WorkerStatus{});
  if (!status) return lanes_;
  for (const WorkerStatus::Destination& lane : status->destinations) {
    if (lane.in_flight + lane.waiting == 0 && lane.pause_ms == 0 && lane.problem.empty()) continue;
    lanes_.push_back({lane.name, lane.in_flight, lane.window, lane.pause_ms, lane.problem});
  }
  return lanes_;
}

void RunView::on_notice(const std::string& text) { display_.notice("filecall: " + text); }

Result<void> RunView::finish(bool was_interrupted) {
  display_.clear();
  summary_.finish(wall_now(), was_interrupted);
  if (results_) TRY(results_->finish());
  if (openai_results_) TRY(openai_results_->finish());
  if (report_) TRY(report_->finish(ledger_, summary_));
  return {};
}

}  // namespace filecall::client
