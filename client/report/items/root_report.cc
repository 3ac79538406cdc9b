// SPDX-License-Identifier: MIT
#include "client/report/items/root_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "client/grades/label_log.h"
#include "client/grades/preference_log.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

bool lacks_reply(const ReportItem& item) {
  const std::vector<Grade>& grades = item.evaluation->grades;
  return item.outcome == ItemOutcome::kUngraded &&
         std::any_of(grades.begin(), grades.end(),
                     [](const Grade& grade) { return grade.lacks_reply; });
}

}  // namespace

Result<RootExtent> measure_root(Ledger& ledger, const RunScope& scope) {
  RootExtent extent;
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    const RequestEntry& entry = member.entry;
    ++extent.requests;
    if (entry.submitted_at == WallTime{}) return true;
    const bool is_first = extent.started_at == WallTime{};
    extent.started_at =
        is_first ? entry.submitted_at : std::min(extent.started_at, entry.submitted_at);
    return true;
  }));
  return extent;
}

Result<void> fill_report(Ledger& ledger, const spool::Layout& layout, const RunScope& scope,
                         const ItemFilter& filter, std::string_view pairs_of, ReportWriter& writer,
                         ReportTally& tally) {
  tally.evaluation = filter.evaluation;
  tally.runs = scope.run_ids();
  if (tally.runs.size() == 1) tally.run().run_id = tally.runs.front();
  if (tally.run().name.empty()) tally.run().name = scope.name();
  tally.run().root = layout.root();
  TRY_ASSIGN(const LabelLog labels, LabelLog::open(layout, filter.evaluation));
  const TokenPrices no_prices;
  const TokenPrices& prices = filter.prices == nullptr ? no_prices : *filter.prices;
  TRY_ASSIGN(const PreferenceLog preferences, PreferenceLog::open(layout, pairs_of, prices));
  const bool has_pairs = !preferences.empty();
  std::vector<PairCandidate> candidates;
  ItemFilter wanted = filter;
  wanted.with_digests = has_pairs;
  TRY_ASSIGN(tally.damage, read_items(ledger, layout, scope, wanted, [&](const ReportItem& item) {
               tally.add(item);
               if (item.evaluation) {
                 tally.judging.add(*item.evaluation, labels.of(item.request_id), prices);
                 tally.lacking_replies += lacks_reply(item) ? 1 : 0;
               }
               if (auto one = has_pairs ? pair_candidate(item) : std::nullopt) {
                 candidates.push_back(*std::move(one));
               }
               writer.item(item);
             }));
  tally.pairs = pairs_within(preferences.records(), candidates);
  for (const std::string& damage : {labels.damage(), preferences.damage()}) {
    if (!damage.empty()) tally.damage += (tally.damage.empty() ? "" : "\n") + damage;
  }
  return {};
}

std::vector<std::string> missed_thresholds(const ReportTally& tally,
                                           const ReportThresholds& thresholds) {
  std::vector<std::string> missed;
  const bool asks = thresholds.score_min || thresholds.error_rate_max;
  const std::int64_t pending = tally.all().count(ItemOutcome::kPending);
  if (asks && pending > 0 && !thresholds.allows_pending) {
    missed.push_back(pending_sentence(pending, tally.all().total()));
  }
  // An error rate alone says nothing of grades where nobody grades.
  const bool asks_grades =
      thresholds.score_min || (thresholds.error_rate_max && tally.all().evaluated() > 0);
  if (asks_grades && tally.never_graded() > 0 && !thresholds.allows_pending) {
    missed.push_back(ungraded_sentence(tally.never_graded(), tally.all().ended()));
  }
  if (thresholds.score_min && tally.evaluation_problems() > 0 && !thresholds.allows_pending) {
    missed.push_back(fmt::format(
        "{} no grade that counts: the response or its labels were changed after it was graded, or "
        "the grade cannot be read: {}; 'filecall eval' grades {} again",
        counted_noun(tally.evaluation_problems(), "response has", "responses have"),
        problem_names(tally), one_or_many(tally.evaluation_problems(), "it", "them")));
  }
  for (const auto& [key, group] : tally.groups()) {
    std::string name = one_line(key.subject, 60);
    if (!key.prompt.empty()) name += " with prompt " + one_line(key.prompt, 60);
    if (thresholds.score_min) {
      const Estimate score = summarize(group.scores()).score;
      if (!score.value) {
        missed.push_back(fmt::format("{}: nothing is graded, and --min-score asks for {}", name,
                                     *thresholds.score_min));
      } else if (*score.value < *thresholds.score_min) {
        missed.push_back(fmt::format("{}: the score {:.4f} is below --min-score {}", name,
                                     *score.value, *thresholds.score_min));
      }
    }
    if (thresholds.error_rate_max && group.error_rate() > *thresholds.error_rate_max) {
      missed.push_back(fmt::format(
          "{}: {:.2f} % were given up or could not be graded, more than --max-error-rate allows "
          "({:.2f} %); the run is invalid",
          name, group.error_rate() * 100, *thresholds.error_rate_max * 100));
    }
  }
  if (tally.groups().empty() && thresholds.score_min) {
    missed.push_back("there are no requests, and --min-score asks for a score");
  }
  return missed;
}

}  // namespace filecall::client
