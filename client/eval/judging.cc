// SPDX-License-Identifier: MIT
#include "client/eval/judging.h"

#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "client/eval/judge_record.h"

namespace filecall::client {
namespace {

std::string record_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Rating> rating_of(const JudgeScale& scale, const std::string& said) {
  const auto value = score_on(scale, said);
  return value ? std::optional(Rating{said, *value}) : std::nullopt;
}

/// What the grader came to, on the people's scale.
std::optional<Rating> rating_of(const Grade& grade, const JudgeScale& scale) {
  if (!grade.score) return std::nullopt;
  if (grade.kind == "judge") return rating_of(scale, record_text(grade.details, "verdict"));
  return rating_of(scale, grade.passed.value_or(false) ? "pass" : "fail");
}

bool is_compared(const Rater& a, const Rater& b) {
  // The grade is made of what the judges say.
  const auto is_machine = [](const Rater& rater) { return rater.kind != Rater::Kind::kPerson; };
  const bool has_grade = a.kind == Rater::Kind::kGrade || b.kind == Rater::Kind::kGrade;
  return !(has_grade && is_machine(a) && is_machine(b));
}

}  // namespace

std::string_view to_string(Rater::Kind kind) {
  switch (kind) {
    case Rater::Kind::kGrade:
      return "grade";
    case Rater::Kind::kJudge:
      return "judge";
    case Rater::Kind::kPerson:
      return "person";
  }
  return "grade";
}

std::optional<std::string> scale_of_grade(const Grade& grade) {
  if (grade.kind != "judge") return scale_text({});
  const std::string scale =
      grade.details.is_object() ? record_text(grade.details, "scale") : std::string();
  return scale.empty() ? std::nullopt : std::optional(scale);
}

void JudgingTally::add_judges(const Grade& grade, const JudgeScale& scale,
                              const TokenPrices& prices, GraderJudging& judging,
                              std::vector<std::pair<Rater, Rating>>& ratings) {
  const Json& details = grade.details;
  // Several choices are judged one by one, and the grade is of all of them together.
  const bool is_rated = !details.is_object() || !details.contains("choices");
  std::vector<std::string> said;
  std::size_t count = 0;
  each_judge_record(details, [&](const Json& record) {
    const std::string name = record_text(record, "judge");
    const std::string verdict = record_text(record, "verdict");
    ++count;
    if (!verdict.empty()) said.push_back(verdict);
    if (const auto rating = rating_of(scale, verdict)) {
      ratings.emplace_back(Rater{Rater::Kind::kJudge, name}, *rating);
    }
    const std::string question = grade.name + "\n" + record_text(record, "request_id");
    if (!questions_.insert(hash64(question)).second) return;
    judging.judges[name].add(record.contains("second_request_id"), !verdict.empty(),
                             cost_of_record(record, prices));
  });
  // A judge alone says what the grade says.
  if (!is_rated || count < 2) {
    ratings.clear();
  } else if (said.size() == count) {
    judging.fleiss.add(said);
  }
}

void JudgingTally::add(const Evaluation& evaluation, std::span<const HumanLabel> labels,
                       const TokenPrices& prices) {
  for (const Grade& grade : evaluation.grades) {
    const auto scale_name = scale_of_grade(grade);
    const auto scale = scale_name ? parse_scale(*scale_name) : std::nullopt;
    GraderJudging found;
    GraderJudging& judging =
        graders_.contains(grade.name) ? graders_.find(grade.name)->second : found;
    std::vector<std::pair<Rater, Rating>> ratings;
    if (scale) {
      judging.scale = *scale_name;
      add_judges(grade, *scale, prices, judging, ratings);
      if (const auto rating = rating_of(grade, *scale)) ratings.emplace_back(Rater{}, *rating);
    }
    for (const HumanLabel& label : labels) {
      if (label.grader != grade.name || label.label.empty()) continue;
      const bool counts = scale && label.scale == *scale_name &&
                          label.response_digest == evaluation.response_digest;
      ++(counts ? judging.labels : judging.old_labels);
      const auto rating = counts ? rating_of(*scale, label.label) : std::nullopt;
      if (rating) ratings.emplace_back(Rater{Rater::Kind::kPerson, label.by}, *rating);
    }
    std::sort(ratings.begin(), ratings.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < ratings.size(); ++i) {
      for (std::size_t j = i + 1; j < ratings.size(); ++j) {
        if (!is_compared(ratings[i].first, ratings[j].first)) continue;
        judging.pairs[{ratings[i].first, ratings[j].first}].add(ratings[i].second,
                                                                ratings[j].second);
      }
    }
    if (&judging == &found && !found.is_empty()) graders_.emplace(grade.name, std::move(found));
  }
}

}  // namespace filecall::client
