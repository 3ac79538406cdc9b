// SPDX-License-Identifier: MIT
#include "client/report/items/report_tally.h"

#include <algorithm>
#include <numeric>

namespace filecall::client {
namespace {

constexpr const char* kOthers = "(others)";

/// The entry of a name, or the one that stands for all names beyond the limit.
template <typename Map, typename Key>
typename Map::mapped_type& bounded_entry(Map& map, const Key& key, std::size_t limit,
                                         const Key& others) {
  const bool is_known = map.size() < limit || map.contains(key);
  return map[is_known ? key : others];
}

RequestOutcome outcome_of_item(const ReportItem& item) {
  RequestOutcome outcome;
  outcome.request_id = item.request_id;
  outcome.command = item.command;
  outcome.state = item.state;
  outcome.attempts = item.attempts;
  outcome.error_code = item.error_code;
  outcome.error_message = item.error_message;
  outcome.submitted_at = item.submitted_at;
  outcome.finished_at = item.finished_at;
  outcome.latency_ms = item.latency_ms;
  outcome.queued_ms = item.queued_ms;
  outcome.run_ms = item.run_ms;
  outcome.is_cached = item.is_cached;
  return outcome;
}

/// Observation::question. Of other commands the text is all params, a model's name among them.
std::uint32_t question_of(const ReportItem& item) {
  if (item.command != "llm.chat" || item.prompt.empty()) return 0;
  return std::max(static_cast<std::uint32_t>(item_key(item.prompt)), 1U);
}

}  // namespace

void UsageSums::add(const ItemUsage& usage) {
  input_tokens += usage.input_tokens.value_or(0);
  output_tokens += usage.output_tokens.value_or(0);
  cached_input_tokens += usage.cached_input_tokens.value_or(0);
  reasoning_tokens += usage.reasoning_tokens.value_or(0);
  counted += usage.input_tokens || usage.output_tokens ? 1 : 0;
  cost += usage.cost.value_or(0);
  priced += usage.cost ? 1 : 0;
  unpriced += usage.is_unpriced() ? 1 : 0;
}

void GroupTally::add(const ReportItem& item) {
  ++outcomes_[static_cast<std::size_t>(item.outcome)];
  if (item.outcome == ItemOutcome::kPending) return;
  if (item.awaits_grade) ++awaiting_grade_;
  retries_ += std::max(0, item.attempts - 1);
  usage_.add(item.usage);
  if (item.state == RequestState::kGaveUp || item.outcome == ItemOutcome::kMissing) {
    ++bounded_entry(errors_, item.error_class, kNamesMax, std::string(kOthers));
  }
  if (item.state == RequestState::kSuccess && item.outcome != ItemOutcome::kMissing) {
    // The times of a response from a cache are those of another request.
    if (!item.is_cached) run_ms_.add(item.run_ms);
    if (!item.is_cached && item.first_token_ms) first_token_ms_.add(*item.first_token_ms);
  }
  if (item.evaluation) {
    ++evaluated_;
    if (item.state != RequestState::kGaveUp) add_grades(item_key(item.item), *item.evaluation);
  }
  if (const auto why = no_grade_of(item.outcome)) {
    const bool is_zero = item.evaluation && item.evaluation->counts_as_zero;
    scores_.add_without_grade(item_key(item.item), *why, is_zero);
  }
  if (item.outcome != ItemOutcome::kGraded) return;
  scores_.add_graded(item_key(item.item), item.evaluation->score.value_or(0),
                     item.evaluation->passed.value_or(false), question_of(item));
}

void GroupTally::add_grades(std::uint64_t item, const Evaluation& evaluation) {
  for (const Grade& grade : evaluation.grades) {
    ScoreTally& tally = bounded_entry(graders_, grade.name, kNamesMax, std::string(kOthers));
    if (grade.score) {
      tally.add_graded(item, *grade.score, grade.passed.value_or(false));
    } else {
      tally.add_without_grade(item, NoGrade::kUngraded, false);
    }
  }
}

std::int64_t GroupTally::total() const {
  return std::accumulate(outcomes_.begin(), outcomes_.end(), std::int64_t{0});
}

double GroupTally::error_rate() const {
  if (ended() == 0) return 0;
  return static_cast<double>(count(ItemOutcome::kError) + count(ItemOutcome::kUngraded) +
                             count(ItemOutcome::kMissing)) /
         static_cast<double>(ended());
}

void ReportTally::add(const ReportItem& item) {
  all_.add(item);
  if (item.sums_up_run) ++run_results_;
  bounded_entry(groups_, GroupKey{item.subject(), item.prompt_name}, kGroupsMax,
                GroupKey{kOthers, ""})
      .add(item);
  if (item.evaluation) add_spec_digest(item.evaluation->spec_digest);
  if (item.awaits_grade && item.evaluation_problem.empty()) ++never_graded_;
  if (!item.evaluation_problem.empty()) {
    ++evaluation_problems_;
    if (problem_ids_.size() < kProblemsNamed) problem_ids_.push_back(item.request_id);
  }
  // What ended well and has no answer any more is neither a success nor given up.
  if (!is_final(item.state) || item.outcome == ItemOutcome::kMissing) return;
  run_.add(outcome_of_item(item));
  last_end_ = std::max(last_end_, item.finished_at);
  retries_ += std::max(0, item.attempts - 1);
}

void ReportTally::add_spec_digest(const std::string& digest) {
  if (!digest.empty() && spec_digests_.size() < kSpecsMax) spec_digests_.insert(digest);
}

void ReportTally::finish(bool was_interrupted) {
  run_.total = all_.total();
  run_.finish(last_end_, was_interrupted);
  run_.count_retries(retries_);
}

}  // namespace filecall::client
