// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <unordered_set>

#include "base/hash.h"
#include "client/cli/dry_run.h"
#include "client/cli/end_actions.h"
#include "client/cli/engine_options.h"
#include "client/cli/eval_label.h"
#include "client/cli/eval_pairs.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/limit_options.h"
#include "client/cli/output.h"
#include "client/cli/row_options.h"
#include "client/cli/run_end.h"
#include "client/cli/subcommands.h"
#include "client/cli/worker_notice.h"
#include "client/core/provider_catalog.h"
#include "client/engine/settings_look.h"
#include "client/eval/runner/evaluation_run.h"
#include "client/eval/runner/spec_file.h"
#include "client/grades/label_log.h"
#include "client/report/items/eval_summary.h"
#include "client/report/items/score_text.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

using spool::layout_of;

constexpr Duration kRedrawEvery = milliseconds(100);
constexpr Duration kLineEvery = seconds(10);

/// Counts what is evaluated and shows how far it is: a line of a terminal that is rewritten, a line
/// every ten seconds elsewhere.
class EvalView final : public EvaluationObserver {
 public:
  /// `options` and `labels` must outlive it.
  EvalView(const OrchestratorOptions& options, const LabelLog& labels, bool is_quiet)
      : prices_(options.prices),
        labels_(labels),
        style_(progress_style(STDERR_FILENO, is_quiet, false)),
        worker_notice_(options.root, options.worker_use == WorkerUse::kStart),
        shown_at_(monotonic_now()) {}

  void on_evaluated(std::string_view id, const Evaluation& evaluation, bool is_reused) override {
    // An earlier pass of this very command is no evaluation before it.
    const std::uint64_t key = hash64(id);
    if (!is_reused) fresh_.insert(key);
    summary_.add(evaluation, is_reused && !fresh_.contains(key), labels_.of(id), prices_);
  }
  void on_restart() override { summary_ = EvalSummary(); }
  void on_progress(const EvaluationProgress& progress) override {
    const MonotonicTime now = monotonic_now();
    const auto notice =
        progress.worker.empty() ? std::nullopt : worker_notice_.look(progress.worker, now);
    if (notice) on_notice(*notice);
    const bool is_bar = style_ == ProgressStyle::kBar;
    if (style_ == ProgressStyle::kQuiet || now - shown_at_ < (is_bar ? kRedrawEvery : kLineEvery)) {
      return;
    }
    shown_at_ = now;
    std::string line = fmt::format("eval: {} of {} looked at", human_count(progress.looked_at),
                                   human_count(progress.candidates));
    if (progress.waiting > 0) line += fmt::format(", {} wait", human_count(progress.waiting));
    if (!progress.worker.empty()) line += fmt::format(", worker {}", progress.worker);
    if (!is_bar) return print_note(line + "\n");
    print_note("\r\x1b[K" + one_line(line, terminal_columns(STDERR_FILENO) - 1));
    is_drawn_ = true;
  }
  void on_notice(const std::string& text) override {
    clear();
    if (style_ != ProgressStyle::kQuiet) print_error(text);
  }

  void clear() {
    if (is_drawn_) print_note("\r\x1b[K");
    is_drawn_ = false;
  }
  EvalSummary& summary() { return summary_; }

 private:
  const TokenPrices& prices_;
  const LabelLog& labels_;
  ProgressStyle style_;
  WorkerNotice worker_notice_;
  MonotonicTime shown_at_;
  bool is_drawn_ = false;
  EvalSummary summary_;
  std::unordered_set<std::uint64_t> fresh_;  ///< What this command has evaluated, hashes of ids.
};

std::string rows_text(const EvalSpec& spec, const GraderSettings& settings) {
  std::string text = one_line(condition_text(settings.rows), 80);
  if (spec.graders_var.empty()) return text.empty() ? "all" : text;
  return (text.empty() ? "" : text + ", ") + "named in " + one_line(spec.graders_var, 40);
}

/// What was read, for who wants to know whether it is right.
void print_spec(const EvalSpec& spec, bool is_json) {
  if (is_json) {
    Json graders = Json::array();
    for (const auto& grader : spec.graders) {
      const GraderSettings& settings = grader->settings();
      graders.push_back({{"name", settings.name},
                         {"kind", settings.kind},
                         {"weight", settings.weight},
                         {"threshold", settings.threshold},
                         {"rows", condition_text(settings.rows)}});
    }
    return print_json({{"name", spec.name},
                       {"spec_digest", spec.digest},
                       {"graders", std::move(graders)},
                       {"prompts", spec.prompt_digests}});
  }
  std::vector<std::vector<std::string>> rows = {
      {"grader", "kind", "weight", "passes from", "rows"}};
  for (const auto& grader : spec.graders) {
    const GraderSettings& settings = grader->settings();
    rows.push_back({one_line(settings.name, 40), settings.kind, fmt::format("{}", settings.weight),
                    fmt::format("{}", settings.threshold), rows_text(spec, settings)});
  }
  print(fmt::format("{} is right: {}\n\n{}", one_line(spec.name, 40), spec.digest,
                    table(rows, {2, 3})));
  if (spec.prompt_digests.empty()) return;
  print("\nPrompts of judges (prompt_digest pins one):\n");
  for (const std::string& line : spec.prompt_digests) print("  " + one_line(line, 200) + "\n");
}

int eval_exit_code(const EvalSpec& spec, const std::vector<std::string>& missed,
                   const EvalSummary& summary) {
  for (const std::string& sentence : missed) print_error(sentence);
  if (!missed.empty()) return kExitThreshold;
  // Who says how many failures are fine has said that these are.
  const bool is_tolerated = spec.max_error_rate.has_value();
  const std::int64_t missing = summary.removed + summary.missing;
  if (missing > 0) print_error(missing_sentence(missing));
  const std::int64_t other_form = summary.counts().schema_invalid;
  const std::int64_t errors = summary.counts().error + other_form;
  if (errors > 0 && !is_tolerated) {
    print_error(
        given_up_sentence(errors, other_form, "'filecall report' says why and how to ask again"));
  }
  const std::int64_t given_up = errors + summary.lacking_replies() + missing;
  return given_up > 0 && !is_tolerated ? kExitGaveUp : kExitSuccess;
}

/// What the command line says wins over the specification.
Result<void> apply_options(const Arguments& arguments, EvalSpec& spec) {
  TRY_ASSIGN(const auto min_score, arguments.share("min-score"));
  TRY_ASSIGN(const auto max_error_rate, arguments.share("max-error-rate"));
  if (min_score) spec.min_score = min_score;
  if (max_error_rate) spec.max_error_rate = max_error_rate;
  if (arguments.has("batch")) spec.selection.batch = arguments.text("batch");
  TRY_ASSIGN(spec.selection.rows, row_selection(arguments));
  return {};
}

Result<EvaluationOptions> evaluation_options(const Arguments& arguments, const EvalSpec& spec) {
  EvaluationOptions options;
  TRY_ASSIGN(options.engine, engine_options(arguments, true));
  TRY(read_limits(arguments, options.engine));
  options.engine.batch = "eval " + spec.name;
  options.follows = arguments.has("follow");
  options.choice = {
      .run = arguments.text("run"), .batch = spec.selection.batch, .mixes = arguments.has("mix")};
  std::error_code status;
  if (!options.follows && !std::filesystem::exists(options.engine.root, status)) {
    return fail(ErrorCode::kNotFound, options.engine.root +
                                          ": no such directory; 'filecall run' makes it, --root or "
                                          "$FILECALL_ROOT name another");
  }
  return options;
}

/// What a judge's provider does not take is refused before anything is asked.
Result<void> check_judges(const EvalSpec& spec, const OrchestratorOptions& engine) {
  if (spec.judges.empty()) return {};
  ProviderCatalog catalog = running_providers(engine.root);
  // Whom somebody else starts, nobody knows.
  const bool starts = engine.worker_use == WorkerUse::kStart && engine.worker_config.empty();
  if (catalog.providers.empty() && starts) catalog = known_providers(engine.root);
  for (const Judge& judge : spec.judges) {
    const std::string complaint = params_complaint("llm.chat", judge.params, catalog);
    if (complaint.empty()) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("judge '{}': {}; nothing was asked", judge.name, complaint));
  }
  return {};
}

/// Whether what is to be graded, or compared, is said as a whole.
Result<void> check_words(const Arguments& arguments, const EvalSpec& spec) {
  if (arguments.words().size() == 2) {
    return fail(ErrorCode::kInvalidArgument,
                "eval: give a specification, 'label' and a specification, or a specification and "
                "what to compare: A and B");
  }
  if (spec.graders.empty() && arguments.words().size() == 1 && !arguments.has("check")) {
    return fail(ErrorCode::kInvalidArgument,
                "the specification has pairwise and no graders: say what to compare, e.g. filecall "
                "eval SPEC @model=OLD @model=NEW");
  }
  return {};
}

Result<int> evaluate(const Arguments& arguments, EndActions& end_actions) {
  const std::string& path = arguments.words()[0];
  TRY_ASSIGN(EvalSpec spec, load_eval_spec(path));
  TRY(apply_options(arguments, spec));
  TRY(check_words(arguments, spec));
  if (arguments.has("check")) {
    print_spec(spec, arguments.has("json"));
    return kExitSuccess;
  }
  TRY_ASSIGN(const EvaluationOptions options, evaluation_options(arguments, spec));
  TRY(check_judges(spec, options.engine));
  if (arguments.words().size() == 3) return judge_pairs(arguments, spec, options);
  TRY_ASSIGN(const auto run, EvaluationRun::open(spec, options));
  TRY_ASSIGN(const LabelLog labels, LabelLog::open(layout_of(options.engine.root), spec.name));
  if (!labels.damage().empty()) print_error(labels.damage());
  EvalView view(options.engine, labels, arguments.has("quiet"));
  if (arguments.has("dry-run")) {
    RunPlan plan;
    TRY(run->each_question(view, [&](const Submission& question, const auto& ended) {
      plan.add(question.bytes, ended);
    }));
    view.clear();
    return print_dry_run(arguments, options.engine.batch, plan, options.engine.prices);
  }
  const InterruptScope scope(run->interruption());
  const auto ended = run->run(view);
  view.clear();
  if (!ended) return Unexpected(ended.error());
  EvalSummary& summary = view.summary();
  summary.unfinished = ended->unfinished;
  summary.never_graded = ended->never_graded;
  summary.not_selected = ended->not_selected;
  summary.removed = ended->removed;
  summary.missing = ended->missing;
  summary.superseded = ended->superseded;
  summary.run_ids = ended->run_ids;
  if (!ended->scope_notice.empty()) {
    print_note("filecall: " + ended->scope_notice + "\n", arguments.has("quiet"));
  }
  const Json part = selection_json(spec.selection.rows);
  if (!part.is_null()) {
    print_note(fmt::format("filecall: graded a part of the rows: {}\n", selection_text(part)),
               arguments.has("quiet"));
  }
  const auto missed =
      summary.missed(spec.min_score, spec.max_error_rate, arguments.has("allow-pending"));
  Json json = summary.as_json(spec, missed);
  if (!part.is_null()) json["selection"].update(part);
  end_actions.set_summary(json);
  if (arguments.has("json")) {
    print_json(json);
  } else if (!arguments.has("quiet")) {
    print(summary.as_text(spec));
  }
  if (ended->end == RunEnd::kLimit) print_error("stopped: " + ended->limit_reason);
  if (ended->end != RunEnd::kDone) {
    return explain_end(ended->end, options.engine.root, "the same 'filecall eval' again");
  }
  if (summary.lacking_replies() > 0) {
    print_error(lacking_replies_sentence(summary.lacking_replies()));
  }
  const auto why = summary.why_nothing_is_graded(spec);
  for (const std::string& sentence : why) print_error(sentence);
  if (!why.empty()) {
    for (const std::string& sentence : missed) print_error(sentence);
    return kExitThreshold;
  }
  return eval_exit_code(spec, missed, summary);
}

}  // namespace

int eval_command(const Arguments& arguments) {
  EndActions end_actions(arguments);
  if (const auto fine = end_actions.check(); !fine) return report_error(fine.error());
  const auto code =
      arguments.words()[0] == "label" ? label_by_hand(arguments) : evaluate(arguments, end_actions);
  return end_actions.finish(code ? *code : report_error(code.error()));
}

}  // namespace filecall::client
