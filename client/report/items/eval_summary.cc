// SPDX-License-Identifier: MIT
#include "client/report/items/eval_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/count_text.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kReasonsMax = 1000;
constexpr std::size_t kReasonsShown = 5;

NoGrade no_grade_by(EvaluationOutcome outcome) {
  switch (outcome) {
    case EvaluationOutcome::kError:
      return NoGrade::kError;
    case EvaluationOutcome::kRefusal:
      return NoGrade::kRefusal;
    case EvaluationOutcome::kTruncated:
      return NoGrade::kTruncated;
    case EvaluationOutcome::kSchemaInvalid:
      return NoGrade::kSchemaInvalid;
    case EvaluationOutcome::kGraded:
    case EvaluationOutcome::kUngraded:
      return NoGrade::kUngraded;
  }
  return NoGrade::kUngraded;
}

void add_to(ScoreTally& tally, const Evaluation& evaluation) {
  const std::uint64_t item = item_key(evaluation.item);
  if (evaluation.outcome == EvaluationOutcome::kGraded) {
    tally.add_graded(item, evaluation.score.value_or(0), evaluation.passed.value_or(false));
  } else {
    tally.add_without_grade(item, no_grade_by(evaluation.outcome), evaluation.counts_as_zero);
  }
}

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

std::string estimate_text(const Estimate& estimate) {
  if (!estimate.value) return "-";
  std::string text = fmt::format("{:.3f}", *estimate.value);
  if (estimate.interval) {
    text += fmt::format(" [{:.3f}, {:.3f}]", estimate.interval->low, estimate.interval->high);
  }
  return text;
}

std::string named(const std::string& name) {
  return name.empty() ? "(no model)" : one_line(name, kNameColumns);
}

std::vector<std::string> row_of(const std::string& name, const ScoreTally& tally) {
  const ScoreSummary summary = summarize(tally);
  const OutcomeCounts& counts = summary.counts;
  return {name,
          estimate_text(summary.score),
          summary.pass_rate.value ? percent(*summary.pass_rate.value) : "-",
          human_count(counts.graded),
          no_grade_text(counts, NoGrade::kUngraded),
          no_grade_text(counts, NoGrade::kError),
          no_grade_text(counts, NoGrade::kRefusal),
          no_grade_text(counts, NoGrade::kTruncated),
          no_grade_text(counts, NoGrade::kSchemaInvalid)};
}

/// How requests ended, where it was not all in one way.
std::string ends_text(const OutcomeCounts& counts) {
  std::string text;
  const auto add = [&text](std::int64_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count), what);
  };
  add(counts.graded + counts.ungraded, "answered");
  add(counts.refusal, "refused");
  add(counts.truncated, "cut");
  add(counts.schema_invalid, "of another form");
  add(counts.error, "given up");
  return text.empty() ? "" : " (" + text + ")";
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json score_json(const Estimate& estimate) {
  Json out = {{"value", number_or_null(estimate.value)},
              {"standard_error", number_or_null(estimate.standard_error)},
              {"answers", estimate.observations},
              {"items", estimate.items},
              {"method", to_string(estimate.method)}};
  out["low"] = estimate.interval ? Json(estimate.interval->low) : Json();
  out["high"] = estimate.interval ? Json(estimate.interval->high) : Json();
  return out;
}

Json tally_json(const ScoreTally& tally) {
  const ScoreSummary summary = summarize(tally);
  const OutcomeCounts& counts = summary.counts;
  return {{"score", score_json(summary.score)},
          {"pass_rate", score_json(summary.pass_rate)},
          {"counts",
           {{"graded", counts.graded},
            {"ungraded", counts.ungraded},
            {"error", counts.error},
            {"refusal", counts.refusal},
            {"truncated", counts.truncated},
            {"schema_invalid", counts.schema_invalid},
            {"counted_as_zero", counts.zeros},
            {"total", counts.total()}}},
          {"error_rate", counts.error_rate()}};
}

Json named_tallies(const char* name, const std::map<std::string, ScoreTally>& tallies) {
  Json list = Json::array();
  for (const auto& [key, tally] : tallies) {
    Json one = tally_json(tally);
    one[name] = key;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

void EvalSummary::add(const Evaluation& evaluation, bool is_reused,
                      std::span<const HumanLabel> labels, const TokenPrices& prices) {
  add(evaluation, is_reused);
  judging_.add(evaluation, labels, prices);
}

void EvalSummary::add(const Evaluation& evaluation, bool is_reused) {
  if (is_reused && evaluation.outcome == EvaluationOutcome::kGraded) ++graded_before_;
  add_to(all_, evaluation);
  add_to(by_model_[evaluation.model], evaluation);
  if (!evaluation.reason.empty()) add_reason(evaluation.reason);
  const bool lacks_reply = std::any_of(evaluation.grades.begin(), evaluation.grades.end(),
                                       [](const Grade& grade) { return grade.lacks_reply; });
  if (lacks_reply) ++lacking_replies_;
  for (const Grade& grade : evaluation.grades) {
    ScoreTally& tally = by_grader_[grade.name];
    if (grade.score) {
      tally.add_graded(item_key(evaluation.item), *grade.score, grade.passed.value_or(false));
    } else {
      tally.add_without_grade(item_key(evaluation.item), NoGrade::kUngraded, false);
      add_reason(grade.reason);
    }
  }
}

void EvalSummary::add_reason(const std::string& reason) {
  if (reasons_.size() < kReasonsMax || reasons_.contains(reason)) ++reasons_[reason];
}

std::vector<std::string> EvalSummary::unused_graders(const EvalSpec& spec) const {
  std::vector<std::string> unused;
  if (counts().graded + counts().ungraded == 0) return unused;
  for (const auto& grader : spec.graders) {
    const std::string& name = grader->settings().name;
    if (!by_grader_.contains(name)) unused.push_back(name);
  }
  return unused;
}

bool EvalSummary::is_valid(const std::optional<double>& max_error_rate) const {
  return !max_error_rate || std::all_of(by_model_.begin(), by_model_.end(), [&](const auto& entry) {
    return entry.second.counts().error_rate() <= *max_error_rate;
  });
}

std::vector<std::string> EvalSummary::missed(const std::optional<double>& min_score,
                                             const std::optional<double>& max_error_rate,
                                             bool allows_pending) const {
  std::vector<std::string> missed;
  if ((min_score || max_error_rate) && unfinished > 0 && !allows_pending) {
    missed.push_back(pending_sentence(unfinished, counts().total() + never_graded + unfinished));
  }
  if ((min_score || max_error_rate) && never_graded > 0 && !allows_pending) {
    missed.push_back(ungraded_sentence(never_graded, counts().total() + never_graded));
  }
  for (const auto& [model, tally] : by_model_) {
    const double rate = tally.counts().error_rate();
    if (!max_error_rate || rate <= *max_error_rate) continue;
    missed.push_back(
        fmt::format("{}: the run is invalid: {} of the requests were given up or "
                    "could not be graded, more than {}",
                    named(model), percent(rate), percent(*max_error_rate)));
  }
  if (!min_score) return missed;
  if (by_model_.empty()) missed.push_back("the score is missed: nothing was evaluated");
  for (const auto& [model, tally] : by_model_) {
    const auto value = summarize(tally).score.value;
    if (value && *value >= *min_score) continue;
    missed.push_back(
        value ? fmt::format("{}: the score {:.4f} is below {}", named(model), *value, *min_score)
              : fmt::format("{}: no answer could be graded, so the score {} is missed",
                            named(model), *min_score));
  }
  return missed;
}

std::vector<std::string> EvalSummary::why_nothing_is_graded(const EvalSpec& spec) const {
  const OutcomeCounts& counts = all_.counts();
  if (counts.scored() > 0) return {};
  std::vector<std::string> why;
  if (counts.total() == 0) {
    why.push_back(fmt::format(
        "nothing was graded: nothing that is selected has ended: not ended yet: {}, of other "
        "commands "
        "than {} or otherwise not selected: {}, removed by gc: {}, changed or removed by somebody: "
        "{}; 'filecall status' lists requests, --follow waits for them, select: in the "
        "specification says which",
        unfinished, one_line(spec.selection.command, kNameColumns), not_selected, removed,
        missing));
    return why;
  }
  why.push_back(fmt::format(
      "nothing was graded: {} ungraded, {} given up, {} refused, {} cut, {} of another form",
      counts.ungraded, counts.error, counts.refusal, counts.truncated, counts.schema_invalid));
  for (std::string& reason : common_reasons()) why.push_back(std::move(reason));
  return why;
}

std::vector<std::string> EvalSummary::common_reasons() const {
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [reason, count] : reasons_) sorted.emplace_back(-count, reason);
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() > kReasonsShown) sorted.resize(kReasonsShown);
  std::vector<std::string> sentences;
  sentences.reserve(sorted.size());
  for (const auto& [count, reason] : sorted) {
    sentences.push_back(fmt::format("{}: {}", counted_noun(-count, "time"), one_line(reason, 300)));
  }
  return sentences;
}

Json EvalSummary::as_json(const EvalSpec& spec, const std::vector<std::string>& missed) const {
  Json out = tally_json(all_);
  out["name"] = spec.name;
  out["spec_digest"] = spec.digest;
  out["reused"] = graded_before_;
  out["score_is"] = kScoreDefinition;
  out["selection"] = {{"command", spec.selection.command}, {"not_selected", not_selected}};
  out["unfinished"] = unfinished;
  out["never_graded"] = never_graded;
  out["removed_by_gc"] = removed;
  out["missing"] = missing;
  out["superseded"] = superseded;
  out["runs"] = run_ids;
  out["valid"] = is_valid(spec.max_error_rate);
  out["missed"] = missed;
  out["models"] = named_tallies("model", by_model_);
  out["graders"] = named_tallies("grader", by_grader_);
  out["unused_graders"] = unused_graders(spec);
  out["judging"] = judging_json(judging_);
  return out;
}

std::string EvalSummary::as_text(const EvalSpec& spec) const {
  std::string text = fmt::format("{}: {} ended{}", one_line(spec.name, kNameColumns),
                                 counted_noun(counts().total(), "request"), ends_text(counts()));
  if (graded_before_ > 0) text += fmt::format(", {} graded before", human_count(graded_before_));
  const auto tell = [&](std::int64_t count, const char* one, const char* many,
                        const std::string& what) {
    if (count == 0) return;
    text += fmt::format("; {} {} {}", human_count(count), one_or_many(count, one, many), what);
  };
  tell(unfinished, "has", "have", "not ended yet");
  tell(never_graded, "was", "were", "not graded");
  const std::string selected = one_line(selected_by(spec.selection), 2 * kNameColumns);
  tell(not_selected, "is", "are", fmt::format("not selected (select: {})", selected));
  tell(removed, "was", "were", "removed by gc");
  tell(missing, "was", "were", "changed or removed by somebody");
  tell(superseded, "was", "were", "superseded by the later result of a run that went on");
  if (run_ids.size() == 1) text += "; run " + run_ids.front();
  if (run_ids.size() > 1) text += fmt::format("; {} runs together", run_ids.size());
  if (counts().total() == 0) return text + "\n";
  std::vector<std::vector<std::string>> rows = {{"model", "score [95%]", "passed", "graded",
                                                 "ungraded", "errors", "refusals", "cut",
                                                 "schema"}};
  for (const auto& [model, tally] : by_model_) rows.push_back(row_of(named(model), tally));
  if (by_model_.size() > 1) rows.push_back(row_of("all", all_));
  text += "\n\n" + table(rows, {2, 3, 4, 5, 6, 7, 8});
  text += fmt::format("{} {}\n", kScoreDefinition, zeros_text(spec));
  for (const std::string& reason : common_reasons()) text += "No score, " + reason + "\n";
  if (by_grader_.size() > 1) {
    std::vector<std::vector<std::string>> graders = {
        {"grader", "score [95%]", "passed", "graded", "ungraded"}};
    for (const auto& [name, tally] : by_grader_) {
      auto row = row_of(one_line(name, kNameColumns), tally);
      row.resize(graders.front().size());
      graders.push_back(std::move(row));
    }
    text += "\n" + table(graders, {2, 3, 4});
  }
  for (const std::string& name : unused_graders(spec)) {
    text += fmt::format("Grader {} was for none of the answers.\n", one_line(name, kNameColumns));
  }
  return text + judging_text(judging_);
}

}  // namespace filecall::client
