// SPDX-License-Identifier: MIT
#include "client/eval/runner/assessor.h"

#include <optional>
#include <utility>

#include "base/result.h"
#include "client/core/cached_answer.h"
#include "client/eval/digest.h"
#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "spool/drop.h"

namespace filecall::client {
namespace {

bool is_same_but_for_time(const Evaluation& a, Evaluation b) {
  b.evaluated_at = a.evaluated_at;
  return render_evaluation_record({"", {{"", a}}}) == render_evaluation_record({"", {{"", b}}});
}

}  // namespace

/// A finished request: what was asked and the bytes that ended it.
struct Assessor::Answered {
  Request request;
  Response response;
  std::string digest;
};

Result<std::optional<Assessor::Answered>> Assessor::load(std::string_view id,
                                                         bool is_given_up) const {
  using None = std::optional<Answered>;
  const auto directories = root_.directories();
  TRY_ASSIGN(const auto request_file, spool::read_request_file(*directories, id));
  auto answer =
      last_answer(root_.layout(), id, is_given_up ? RequestState::kGaveUp : RequestState::kSuccess);
  if (!answer && answer.error().code != ErrorCode::kNotFound) return Unexpected(answer.error());
  if (!answer) return None();
  const auto request_text = request_file            ? std::optional(request_file->bytes)
                            : answer->is_from_cache ? request_in_answer(answer->bytes)
                                                    : std::nullopt;
  if (!request_text) return None();
  auto request = parse_request(*request_text, id, {.bytes_max = limits::kRequestBytesMax});
  if (!request) return None();
  const std::string& bytes = answer->bytes;
  Answered answered;
  answered.request = *std::move(request);
  answered.digest = digest_of(bytes);
  auto response = parse_response(bytes, id);
  if (response) answered.response = std::move(*response);
  if (!is_given_up && (!response || !response->is_success())) return None();
  return std::optional(std::move(answered));
}

EvaluationOutcome Assessor::outcome_of(const Answered& answered, bool is_given_up) const {
  if (is_given_up) return EvaluationOutcome::kError;
  const EvaluationOutcome outcome = outcome_of_response(answered.response);
  const bool is_graded_too = (outcome == EvaluationOutcome::kRefusal && spec_.grades_refusals) ||
                             (outcome == EvaluationOutcome::kTruncated && spec_.grades_truncated);
  return is_graded_too ? EvaluationOutcome::kGraded : outcome;
}

std::vector<Question> Assessor::ask_all(const Subject& subject) const {
  std::vector<Question> all;
  for (const auto& grader : spec_.graders) {
    for (Question& question : grader->questions(subject)) all.push_back(std::move(question));
  }
  return all;
}

void Assessor::grade(const Subject& subject, const Replies* replies, Evaluation& evaluation) const {
  for (const auto& grader : spec_.graders) {
    std::vector<Reply> got;
    if (replies != nullptr) {
      for (const Question& question : grader->questions(subject)) {
        got.push_back((*replies)(question));
      }
    }
    evaluation.grades.push_back(grader->grade(subject, got));
  }
  conclude(evaluation, spec_.threshold);
}

Result<void> Assessor::keep(std::string_view id, const std::optional<Evaluation>& before,
                            Evaluation& evaluation) {
  if (before && is_same_but_for_time(*before, evaluation)) {
    evaluation.evaluated_at = before->evaluated_at;
    return {};
  }
  return records_.put(id, spec_.name, evaluation);
}

Result<Assessment> Assessor::assess(std::string_view id, bool is_given_up, const Replies* replies) {
  Assessment assessment;
  TRY_ASSIGN(auto answered, load(id, is_given_up));
  if (!answered) {
    assessment.kind = Assessment::Kind::kUnfinished;
    return assessment;
  }
  if (!spec_.selection.selects(answered->request)) return assessment;
  assessment.kind = Assessment::Kind::kEvaluated;
  TRY_ASSIGN(auto before, records_.find(id, spec_.name));
  if (before &&
      (before->spec_digest != spec_.digest || before->response_digest != answered->digest)) {
    before.reset();
  }
  if (before && before->outcome != EvaluationOutcome::kUngraded) {
    assessment.evaluation = std::move(*before);
    assessment.is_reused = true;
    return assessment;
  }
  Evaluation& evaluation = assessment.evaluation;
  evaluation.spec_digest = spec_.digest;
  evaluation.response_digest = answered->digest;
  evaluation.evaluated_at = wall_now();
  describe_origin(answered->request, answered->response.data, evaluation);
  evaluation.outcome = outcome_of(*answered, is_given_up);
  if (evaluation.outcome == EvaluationOutcome::kGraded) {
    const Subject subject{std::move(answered->request), std::move(answered->response.data)};
    if (replies == nullptr) {
      assessment.questions = ask_all(subject);
      if (!assessment.questions.empty()) {
        assessment.kind = Assessment::Kind::kAsks;
        return assessment;
      }
    }
    grade(subject, replies, evaluation);
  }
  TRY(keep(id, before, evaluation));
  return assessment;
}

}  // namespace filecall::client
