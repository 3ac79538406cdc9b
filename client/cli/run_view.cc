// SPDX-License-Identifier: MIT
#include "client/cli/run_view.h"

#include <unistd.h>

#include <utility>

#include "client/cli/output.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {

RunView::RunView(const OrchestratorOptions& options, const BatchCheck& check, bool is_quiet,
                 bool is_json)
    : ledger_{.root = options.root,
              .allow_shared_root = options.allow_shared_root,
              .durability = options.durability},
      layout_(spool::layout_of(options.root)),
      summary_(wall_now()),
      display_(STDERR_FILENO, progress_style(STDERR_FILENO, is_quiet, is_json), error_colour(),
               monotonic_now()),
      worker_notice_(options.root, options.worker_use == WorkerUse::kStart),
      lanes_(layout_) {
  summary_.root = options.root;
  summary_.total = check.requests - check.conversations + check.turns;
  summary_.conversations.total = check.conversations;
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

Result<void> RunView::begin(const RunRecord& run) {
  summary_.run_id = run.run_id;
  if (!results_) return {};
  TRY_ASSIGN(RunMetadata metadata, RunMetadata::open(layout_, {run}));
  results_->use_metadata(std::move(metadata));
  return {};
}

void RunView::remember(const RequestOutcome& outcome) {
  const bool is_success = outcome.state == RequestState::kSuccess;
  if (outcome.from_earlier_run && is_success) earlier_responses_.add(outcome.request_id);
}

void RunView::on_outcome(const RequestOutcome& outcome) {
  remember(outcome);
  summary_.add(outcome);
  if (results_) results_->add(outcome);
  if (openai_results_) openai_results_->add(outcome);
}

void RunView::on_step(const RequestOutcome& outcome, bool is_tolerated) {
  remember(outcome);
  summary_.add_step(outcome, is_tolerated);
}

void RunView::on_conversation(const ConversationEnd& end, const RequestOutcome& last) {
  const Conversation& conversation = end.conversation;
  const bool is_good = conversation.state() == Conversation::State::kEnded;
  RunSummary::Conversations& talks = summary_.conversations;
  ++(is_good ? talks.ended : talks.gave_up);
  talks.turns += end.counts.turns;
  talks.tool_calls += end.counts.tool_calls;
  talks.tool_errors += end.counts.tool_errors;
  RequestOutcome shown = last;
  shown.request_id = conversation.first_id();
  shown.command = "llm.chat";
  shown.state = is_good ? RequestState::kSuccess : RequestState::kGaveUp;
  shown.attempts = end.attempts;
  shown.latency_ms = end.latency_ms;
  if (!is_good) {
    if (!shown.error_code) shown.error_code = ErrorCode::kFailedPrecondition;
    shown.error_message = conversation.reason();
    summary_.add_given_up_conversation(shown);
  }
  if (!results_) return;
  const auto& response = conversation.steps().back().response;
  results_->add_conversation(shown, response == nullptr ? Json() : response->data,
                             transcript_of(conversation));
}

void RunView::on_progress(const RunProgress& progress) {
  summary_.set_retries(progress.retries, wall_now());
  summary_.spend = progress.spend;
  ProgressView view;
  view.by_state = progress.by_state;
  // A failure that went to the model as a result has ended, and was not given up.
  view.by_state[static_cast<std::size_t>(RequestState::kGaveUp)] -= summary_.tolerated();
  view.by_state[static_cast<std::size_t>(RequestState::kSuccess)] += summary_.tolerated();
  const RunSummary::Conversations& talks = summary_.conversations;
  view.conversations = talks.total;
  view.conversations_ended = talks.ended + talks.gave_up;
  view.earlier = summary_.from_earlier_runs() + summary_.followed();
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
  if (const auto missing = earlier_responses_.count_missing(layout_)) {
    summary_.responses_missing = *missing;
  } else {
    print_error("whether the responses of earlier runs are there is not known: " +
                missing.error().message);
  }
  // Each is completed, whatever became of the others.
  const Result<void> results = results_ ? results_->finish(was_interrupted) : Result<void>();
  const Result<void> openai =
      openai_results_ ? openai_results_->finish(was_interrupted) : Result<void>();
  // Without a run there was nothing to do, and nothing to report on.
  if (summary_.run_id.empty()) report_.reset();
  if (report_) {
    TRY_ASSIGN(const std::string lack, report_->finish(ledger_, summary_));
    if (!lack.empty()) print_error(lack);
  }
  return results ? openai : results;
}

}  // namespace filecall::client
