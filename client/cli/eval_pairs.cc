// SPDX-License-Identifier: MIT
#include "client/cli/eval_pairs.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "base/count_text.h"
#include "base/nearest.h"
#include "client/cli/dry_run.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/eval/runner/pair_feed.h"
#include "client/report/items/item_source.h"
#include "client/report/items/pair_output.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"
#include "ipc/json_text.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

/// One side, of this root.
Result<std::vector<PairCandidate>> side_of(const Arguments& arguments, const std::string& text,
                                           const OrchestratorOptions& engine) {
  TRY_ASSIGN(const RunName name, parse_run_name(text));
  if (!name.place.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: both sides must be of this root, e.g. @run=previous or "
                            "@model=NAME; --root names the root",
                            excerpt(text, 120)));
  }
  TRY_ASSIGN(LedgerOptions ledger, ledger_options(arguments));
  ledger.only_reads = true;
  TRY_ASSIGN(const auto source,
             open_item_source(text, arguments.has("mix"), ledger, engine.prices, GradeUse::kNone));
  return pair_candidates(*source);
}

std::vector<AskedPair> asked_pairs(const PairedCandidates& paired) {
  std::vector<AskedPair> pairs;
  pairs.reserve(paired.pairs.size());
  for (const auto& [a, b] : paired.pairs) {
    pairs.push_back({a.item, a.request_id, b.request_id, a.label(), b.label(), a.vars});
  }
  return pairs;
}

/// A column of the template or of expected_var that no row has is misspelt.
Result<void> check_pair_columns(const PairRule& rule, const std::vector<AskedPair>& pairs) {
  std::set<std::string, std::less<>> wanted = rule.columns;
  if (rule.reference.source == Expectation::Source::kVariable) wanted.insert(rule.reference.where);
  std::set<std::string, std::less<>> there;
  for (const AskedPair& pair : pairs) {
    for (const auto& [name, value] : pair.vars.items()) there.insert(name);
  }
  const std::vector<std::string_view> names(there.begin(), there.end());
  for (const std::string& column : wanted) {
    if (there.contains(column)) continue;
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("pairwise: no selected request has a column '{}'{}", excerpt(column, 60),
                    names.empty() ? "; they have none" : suggest(column, names)));
  }
  return {};
}

struct PairsDone {
  PairTally tally;
  PairJudging judging;
  std::int64_t reused = 0;
  std::int64_t gone = 0;
  std::int64_t lacking_replies = 0;  ///< Pairs without a verdict: a judge was given up.
  std::int64_t only_a = 0;
  std::int64_t only_b = 0;
  std::int64_t shared = 0;
};

void print_pairs(const Arguments& arguments, const EvalSpec& spec, const PairsDone& done) {
  if (arguments.has("json")) {
    Json json = pair_tally_json(done.tally);
    json["judges"] = pair_judging_json(done.judging);
    json["name"] = spec.name;
    json["rule_digest"] = spec.pairwise->digest;
    json["a"] = arguments.words()[1];
    json["b"] = arguments.words()[2];
    json["reused"] = done.reused;
    json["gone"] = done.gone;
    json["only_a"] = done.only_a;
    json["only_b"] = done.only_b;
    json["shared"] = done.shared;
    return print_json(json);
  }
  if (arguments.has("quiet")) return;
  std::string text =
      fmt::format("{}: {}, {} of them judged before", one_line(spec.name, 40),
                  counted_noun(done.tally.all().pairs() + done.tally.all().ungraded, "pair"),
                  human_count(done.reused));
  if (done.only_a + done.only_b > 0) {
    text += fmt::format("; {} of A and {} of B {} no counterpart",
                        counted_noun(done.only_a, "response"), human_count(done.only_b),
                        one_or_many(done.only_a + done.only_b, "has", "have"));
  }
  if (done.shared > 0) {
    text += fmt::format("; {} in both A and B, and not judged",
                        counted_noun(done.shared, "response is", "responses are"));
  }
  if (done.gone > 0)
    text += fmt::format("; {} a response now", counted_noun(done.gone, "pair lacks", "pairs lack"));
  print(text + "\n\n" + pair_tally_text(done.tally) + pair_judging_text(done.judging));
}

/// What would be asked, and what it may cost.
Result<int> print_pair_plan(const Arguments& arguments, const OrchestratorOptions& engine,
                            PairFeed& feed) {
  RunPlan plan;
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  for (;;) {
    TRY_ASSIGN(const Offer offer, feed.next());
    if (offer.kind != Offer::Kind::kSubmission) break;
    TRY_ASSIGN(const auto entry, ledger->find(offer.submission.request_id));
    const bool has_ended = entry && is_final(entry->state);
    plan.add(offer.submission.bytes, has_ended ? std::optional(entry->spend) : std::nullopt);
  }
  return print_dry_run(arguments, engine.batch, plan, engine.prices);
}

/// Of pairs that were all looked at.
int pairs_exit_code(const PairsDone& done) {
  if (done.lacking_replies > 0) {
    print_error(lacking_verdicts_sentence(done.lacking_replies));
  }
  if (done.tally.all().pairs() > 0) {
    return done.lacking_replies > 0 ? kExitGaveUp : kExitSuccess;
  }
  print_error("no pair has a verdict");
  return kExitThreshold;
}

}  // namespace

Result<int> judge_pairs(const Arguments& arguments, const EvalSpec& spec,
                        const EvaluationOptions& options) {
  if (!spec.pairwise) {
    return fail(ErrorCode::kInvalidArgument,
                "eval SPEC A B needs pairwise: in the specification, e.g. pairwise: {criteria: "
                "Which answer is clearer?}");
  }
  OrchestratorOptions engine = options.engine;
  engine.role = kEvaluationRole;
  TRY_ASSIGN(auto a, side_of(arguments, arguments.words()[1], engine));
  TRY_ASSIGN(auto b, side_of(arguments, arguments.words()[2], engine));
  PairedCandidates paired = pair_up(std::move(a), std::move(b));
  PairsDone done;
  done.only_a = std::ssize(paired.only_a);
  done.only_b = std::ssize(paired.only_b);
  done.shared = paired.shared;
  const std::vector<AskedPair> pairs = asked_pairs(paired);
  if (pairs.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("A and B have no two responses to the same item: {} of A and {} of B "
                    "are without a counterpart, {} {} in both",
                    done.only_a, done.only_b, done.shared, one_or_many(done.shared, "is", "are")));
  }
  TRY(check_pair_columns(*spec.pairwise, pairs));
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(engine.root, {.allow_shared = engine.allow_shared_root, .create = false}));
  const bool is_plan = arguments.has("dry-run");
  TRY_ASSIGN(
      const auto feed,
      PairFeed::open(root, *spec.pairwise, pairs, engine.prices,
                     {.evaluation = spec.name, .writes = !is_plan},
                     [&](const PairRecord& record, bool is_reused) {
                       done.tally.add(record);
                       done.judging.add(pair_questions(record.verdict.judges, engine.prices));
                       done.reused += is_reused ? 1 : 0;
                       done.lacking_replies += record.verdict.lacks_reply ? 1 : 0;
                     }));
  feed->notice = [](const std::string& text) { print_error(text); };
  if (is_plan) return print_pair_plan(arguments, engine, *feed);
  TRY_ASSIGN(const auto orchestrator, Orchestrator::open(engine));
  feed->interruption = &orchestrator->interruption();
  const InterruptScope scope(orchestrator->interruption());
  std::optional<RunTotals> earlier;
  if (engine.limits.any()) {
    TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
    TRY_ASSIGN(earlier, feed->earlier_use(*ledger));
  }
  const auto end = orchestrator->run(*feed, *feed, earlier);
  TRY(feed->finish());
  if (!end) return Unexpected(end.error());
  done.gone = feed->gone();
  print_pairs(arguments, spec, done);
  if (*end == RunEnd::kLimit) print_error("stopped: " + orchestrator->limit_reason());
  if (*end != RunEnd::kDone) {
    return explain_end(*end, engine.root, "the same 'filecall eval' again");
  }
  return pairs_exit_code(done);
}

}  // namespace filecall::client
