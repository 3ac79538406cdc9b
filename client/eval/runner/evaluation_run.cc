// SPDX-License-Identifier: MIT
#include "client/eval/runner/evaluation_run.h"

#include <utility>

#include "client/eval/runner/assessor.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/passes.h"
#include "client/eval/runner/question_use.h"
#include "client/grades/grade_log.h"
#include "client/grades/grade_writer.h"

namespace filecall::client {

EvaluationRun::EvaluationRun(const EvalSpec& spec, const EvaluationOptions& options,
                             spool::Root root, std::unique_ptr<Ledger> ledger,
                             std::unique_ptr<Orchestrator> engine)
    : spec_(spec),
      options_(options),
      root_(std::move(root)),
      ledger_(std::move(ledger)),
      engine_(std::move(engine)) {}

Result<std::unique_ptr<EvaluationRun>> EvaluationRun::open(const EvalSpec& spec,
                                                           const EvaluationOptions& options) {
  OrchestratorOptions asking = options.engine;
  asking.role = kEvaluationRole;
  TRY_ASSIGN(auto ledger, Ledger::open({.root = asking.root,
                                        .allow_shared_root = asking.allow_shared_root,
                                        .durability = asking.durability,
                                        .create = options.follows}));
  TRY_ASSIGN(
      spool::Root root,
      spool::Root::open(asking.root, {.allow_shared = asking.allow_shared_root, .create = true}));
  TRY_ASSIGN(auto engine, Orchestrator::open(asking));
  return std::unique_ptr<EvaluationRun>(
      new EvaluationRun(spec, options, std::move(root), std::move(ledger), std::move(engine)));
}

Result<EvaluationEnd> EvaluationRun::run(EvaluationObserver& observer) {
  for (const std::string& notice : ledger_->notices()) observer.on_notice(notice);
  TRY_ASSIGN(GradeLog log, GradeLog::open(root_.layout()));
  if (!log.damage().empty()) observer.on_notice(log.damage());
  TRY_ASSIGN(GradeWriter writer,
             GradeWriter::open(root_.layout(), log,
                               [&](const std::string& text) { observer.on_notice(text); }));
  Assessor assessor(root_, *ledger_, spec_, log, &writer, options_.engine.prices);
  Passes passes(root_, *ledger_, spec_.selection, options_.choice, assessor, observer,
                engine_->interruption(), options_.follows);
  std::optional<RunTotals> earlier;
  if (options_.engine.limits.any()) {
    TRY_ASSIGN(earlier, earlier_use(assessor));
  }
  TRY_ASSIGN(const RunEnd end, engine_->run(passes, passes, earlier));
  if (const auto error = passes.error()) return Unexpected(*error);
  if (options_.engine.durability != Durability::kNone) TRY(writer.sync());
  return EvaluationEnd{.end = end,
                       .unfinished = passes.unfinished(),
                       .never_graded = passes.never_graded(),
                       .not_selected = passes.not_selected(),
                       .removed = passes.removed(),
                       .missing = passes.missing(),
                       .superseded = passes.superseded(),
                       .run_ids = passes.run_ids(),
                       .scope_notice = passes.scope_notice(),
                       .limit_reason = end == RunEnd::kLimit ? engine_->limit_reason() : ""};
}

Result<RunTotals> EvaluationRun::earlier_use(Assessor& assessor) {
  TRY_ASSIGN(const RunScope scope, RunScope::choose(root_.layout(), options_.choice));
  TRY_ASSIGN(earlier_metadata_, scope.metadata());
  assessor.use_metadata(earlier_metadata_);
  // Only what has succeeded is shown to judges.
  TRY_ASSIGN(const Candidates candidates,
             list_candidates(
                 *ledger_, scope, spec_.selection, [](const RequestEntry&) { return false; },
                 [](std::string_view) { return false; }));
  QuestionUse use(*ledger_, root_.layout(), options_.engine.prices);
  for (std::size_t i = 0; i < candidates.succeeded.size(); ++i) {
    if (engine_->interruption().is_requested()) break;
    TRY_ASSIGN(const auto questions, assessor.all_questions(candidates.succeeded[i]));
    TRY(use.add(questions));
  }
  return use.totals();
}

Result<void> EvaluationRun::each_question(EvaluationObserver& observer,
                                          const QuestionVisit& visit) {
  TRY_ASSIGN(const GradeLog log, GradeLog::open(root_.layout()));
  Assessor assessor(root_, *ledger_, spec_, log, nullptr, options_.engine.prices);
  Passes passes(root_, *ledger_, spec_.selection, options_.choice, assessor, observer,
                engine_->interruption(), false);
  for (;;) {
    TRY_ASSIGN(const Offer offer, passes.next());
    if (offer.kind != Offer::Kind::kSubmission) return {};
    TRY_ASSIGN(const auto entry, ledger_->find(offer.submission.request_id));
    const bool has_ended = entry && is_final(entry->state);
    visit(offer.submission, has_ended ? std::optional(entry->spend) : std::nullopt);
  }
}

}  // namespace filecall::client
