// SPDX-License-Identifier: MIT
#include "client/eval/runner/assessor.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "base/result.h"
#include "client/core/cached_answer.h"
#include "client/core/digest.h"
#include "client/core/row_selection.h"
#include "client/eval/call_graders.h"
#include "client/eval/judge_record.h"
#include "client/eval/judge_verdict.h"
#include "client/eval/runner/call_figures.h"
#include "client/eval/runner/regular_request.h"
#include "client/service/conversation_look.h"
#include "client/service/last_answer.h"
#include "client/turns/transcript.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "os/clock.h"
#include "spool/client_files.h"

namespace filecall::client {
namespace {

constexpr std::size_t kColumnsNamed = 1000;

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
  Json own_metadata;  ///< Of the request's file; the request has the run's.
  Json turns{};       ///< Of a conversation.
  std::vector<CallFigures> calls{};
};

Assessor::Assessor(const spool::Root& root, Ledger& ledger, const EvalSpec& spec,
                   const GradeLog& log, GradeWriter* writer, const TokenPrices& prices)
    : root_(root),
      ledger_(ledger),
      spec_(spec),
      log_(log),
      writer_(writer),
      prices_(prices),
      looks_at_prices_(
          std::any_of(spec.graders.begin(), spec.graders.end(),
                      [](const auto& grader) { return depends_on_prices(grader->settings()); })) {}

Result<Spend> Assessor::spend_of_call(const std::string& id) const {
  if (!looks_at_prices_) return Spend();
  TRY_ASSIGN(const auto entry, ledger_.find(id));
  return entry ? entry->spend : Spend();
}

Result<std::optional<Assessor::Answered>> Assessor::load(std::string_view id,
                                                         bool is_given_up) const {
  using None = std::optional<Answered>;
  TRY_ASSIGN(auto own_text, regular_request(root_, id));
  auto answer =
      last_answer(root_.layout(), id, is_given_up ? RequestState::kGaveUp : RequestState::kSuccess);
  if (!answer && answer.error().code != ErrorCode::kNotFound) return Unexpected(answer.error());
  if (!answer) return None();
  const auto request_text = own_text                ? std::move(own_text)
                            : answer->is_from_cache ? request_in_answer(answer->bytes)
                                                    : std::nullopt;
  if (!request_text) return None();
  auto request = parse_request(*request_text, id, {.bytes_max = limits::kRequestBytesMax});
  if (!request) return None();
  Answered answered;
  answered.request = *std::move(request);
  answered.digest = digest_of(answer->bytes);
  answered.own_metadata = answered.request.metadata;
  if (auto now = metadata_ == nullptr ? std::nullopt : metadata_->find(id)) {
    answered.request.metadata = std::move(*now);
  }
  if (begins_conversation(answered.request.metadata)) {
    return load_conversation(id, is_given_up, std::move(answered));
  }
  auto response = parse_response(answer->bytes, id);
  if (response) answered.response = std::move(*response);
  if (!is_given_up && (!response || !response->is_success())) return None();
  TRY_ASSIGN(const Spend spend, spend_of_call(std::string(id)));
  answered.calls = {call_figures(answered.response, 1, spend, prices_)};
  use_run_time(answered.request, answered.response, answered.calls.front());
  return std::optional(std::move(answered));
}

Result<Assessment::Kind> Assessor::why_not_loaded(std::string_view id) const {
  // What is no request has no command that could be selected.
  TRY_ASSIGN(const auto text, regular_request(root_, id));
  if (text && !parse_request(*text, id, {.bytes_max = limits::kRequestBytesMax})) {
    return Assessment::Kind::kNotSelected;
  }
  // It had ended when it was listed, and may have been asked again since.
  TRY_ASSIGN(const auto entry, ledger_.find(std::string(id)));
  const bool has_ended = !entry || is_final(entry->state);
  return has_ended ? Assessment::Kind::kMissing : Assessment::Kind::kUnfinished;
}

/// Of a conversation: the last request of the model with its answer, and all turns.
Result<std::optional<Assessor::Answered>> Assessor::load_conversation(std::string_view id,
                                                                      bool is_given_up,
                                                                      Answered answered) const {
  using None = std::optional<Answered>;
  const spool::Layout& layout = root_.layout();
  const auto answer_of = [&layout](const std::string& step) -> Result<std::optional<LastAnswer>> {
    return stored_answer(layout, step);
  };
  TRY_ASSIGN(const ConversationLook look,
             look_at_conversation(std::string(id), answered.request.metadata, answer_of));
  const bool has_ended = look.conversation.state() == Conversation::State::kEnded;
  if ((!has_ended && !is_given_up) || look.last_id.empty()) return None();
  answered.digest = look.digest;
  answered.turns = transcript_of(look.conversation);
  for (const ConversationStep& step : look.conversation.steps()) {
    if (step.kind != ConversationStep::Kind::kModel || step.response == nullptr) continue;
    TRY_ASSIGN(const Spend spend, spend_of_call(step.request_id));
    answered.calls.push_back(call_figures(*step.response, step.turn, spend, prices_));
  }
  auto response = parse_response(look.last_bytes, look.last_id);
  if (!response) return None();
  answered.response = std::move(*response);
  TRY_ASSIGN(auto text, regular_request(root_, look.last_id));
  if (!text) text = request_in_answer(look.last_bytes);
  if (!text) return None();
  auto last = parse_request(*text, look.last_id, {.bytes_max = limits::kRequestBytesMax});
  if (!last) return None();
  last->metadata = std::move(answered.request.metadata);
  answered.request = std::move(*last);
  return std::optional(std::move(answered));
}

EvaluationOutcome Assessor::outcome_of(const Answered& answered, bool is_given_up) const {
  const EvaluationOutcome outcome = outcome_of_response(answered.response);
  if (is_given_up && outcome != EvaluationOutcome::kSchemaInvalid) return EvaluationOutcome::kError;
  const bool is_graded_too = (outcome == EvaluationOutcome::kRefusal && spec_.grades_refusals) ||
                             (outcome == EvaluationOutcome::kTruncated && spec_.grades_truncated);
  return is_graded_too ? EvaluationOutcome::kGraded : outcome;
}

Result<Assessor::Earlier> Assessor::earlier_grades(std::string_view id,
                                                   const Answered& answered) const {
  Earlier earlier;
  const std::string labels = metadata_digest_of(answered.request.metadata);
  for (const std::string& name : log_.names_of_lines()) {
    TRY_ASSIGN(auto evaluation, log_.find(id, name, labels));
    if (!evaluation || evaluation->response_digest != answered.digest ||
        !evaluation->is_of_metadata(answered.request.metadata, answered.own_metadata)) {
      continue;
    }
    for (Grade& grade : evaluation->grades) {
      if (grade.grader_digest.empty() || !grade.score) continue;
      const std::string digest = grade.grader_digest;
      earlier.emplace(digest, std::move(grade));
    }
  }
  return earlier;
}

std::vector<Question> Assessor::ask_all(const Subject& subject, const GraderChoice& choice,
                                        const Earlier& earlier) const {
  std::vector<Question> all;
  for (const std::size_t i : choice.graders) {
    if (earlier.contains(spec_.grader_digests[i])) continue;
    for (Question& question : spec_.graders[i]->questions(subject)) {
      all.push_back(std::move(question));
    }
  }
  return all;
}

std::vector<Question> Assessor::ask_all_again(const Subject& subject, const GraderChoice& choice,
                                              const Earlier& earlier,
                                              const Replies& replies) const {
  std::vector<Question> all;
  for (const std::size_t i : choice.graders) {
    if (earlier.contains(spec_.grader_digests[i])) continue;
    std::vector<Reply> got;
    for (const Question& question : spec_.graders[i]->questions(subject)) {
      got.push_back(replies(question));
    }
    for (Question& question : spec_.graders[i]->questions_again(subject, got)) {
      all.push_back(std::move(question));
    }
  }
  return all;
}

Result<std::vector<Question>> Assessor::all_questions(std::string_view id) const {
  using Questions = std::vector<Question>;
  TRY_ASSIGN(auto answered, load(id, false));
  if (!answered || !spec_.selection.selects(answered->request)) return Questions();
  if (outcome_of(*answered, false) != EvaluationOutcome::kGraded) return Questions();
  const Subject subject{std::move(answered->request), std::move(answered->response.data),
                        std::move(answered->turns), std::move(answered->calls)};
  const GraderChoice choice = choose_graders(spec_, subject.request.metadata);
  Questions all = ask_all(subject, choice, {});
  const Replies replies = [](const Question&) { return unreadable_reply(); };
  for (Question& question : ask_all_again(subject, choice, {}, replies)) {
    all.push_back(std::move(question));
  }
  return all;
}

void Assessor::grade(const Subject& subject, const GraderChoice& choice, const Earlier& earlier,
                     const Replies* replies, Evaluation& evaluation) const {
  for (const std::size_t i : choice.graders) {
    const Grader& grader = *spec_.graders[i];
    const std::string& digest = spec_.grader_digests[i];
    const auto found = earlier.find(digest);
    const auto take_earlier = [&] {
      Grade& grade = evaluation.grades.emplace_back(found->second);
      grade.name = grader.settings().name;
      grade.weight = grader.settings().weight;
    };
    const bool is_looked_at_again = depends_on_prices(grader.settings());
    if (found != earlier.end() && !is_looked_at_again) {
      take_earlier();
      continue;
    }
    std::vector<Reply> got;
    if (replies != nullptr) {
      for (const Question& question : grader.questions(subject)) {
        got.push_back((*replies)(question));
      }
      for (const Question& question : grader.questions_again(subject, got)) {
        got.push_back((*replies)(question));
      }
    }
    Grade graded = grader.grade(subject, got);
    if (!graded.score && found != earlier.end()) {
      take_earlier();
      continue;
    }
    evaluation.grades.push_back(std::move(graded));
    price_judges(evaluation.grades.back().details, prices_);
    evaluation.grades.back().grader_digest = digest;
  }
  conclude(evaluation, spec_.threshold);
  evaluation.reason = choice.problem;
}

Result<bool> Assessor::keep(std::string_view id, const std::optional<Evaluation>& before,
                            Evaluation& evaluation) {
  if (before && is_same_but_for_time(*before, evaluation)) {
    evaluation.evaluated_at = before->evaluated_at;
    return false;
  }
  if (writer_ != nullptr) TRY(writer_->put(id, spec_.name, evaluation));
  return true;
}

bool Assessor::may_select(std::string_view id) const {
  const auto file = spool::read_request_file(*root_.directories(), id);
  return !file || !*file || metadata_of(id);
}

std::optional<Json> Assessor::metadata_of(std::string_view id) const {
  const auto file = spool::read_request_file(*root_.directories(), id);
  if (!file || !*file) return std::nullopt;
  auto request = parse_request((*file)->bytes, id, {.bytes_max = limits::kRequestBytesMax});
  if (!request) return std::nullopt;
  if (auto now = metadata_ == nullptr ? std::nullopt : metadata_->find(id)) {
    request->metadata = std::move(*now);
  }
  if (!spec_.selection.selects(*request)) return std::nullopt;
  return std::move(request->metadata);
}

Result<void> Assessor::check_columns(const RunScope& scope) const {
  std::vector<const NamedColumn*> missing;
  for (const NamedColumn& named : spec_.columns) missing.push_back(&named);
  std::set<std::string, std::less<>> there;
  bool has_rows = false;
  const auto look_at = [&](const Json& metadata) {
    has_rows = true;
    const Json vars = metadata.is_object() ? metadata.value("vars", Json()) : Json();
    std::erase_if(missing, [&](const NamedColumn* named) {
      return named->is_label ? find_label(metadata, named->column) != nullptr
                             : vars.is_object() && vars.contains(named->column);
    });
    if (!vars.is_object()) return;
    for (const auto& [name, value] : vars.items()) {
      if (there.size() < kColumnsNamed) there.insert(name);
    }
  };
  // Rows need not have the same columns; most often the first one has all, and ends this.
  TRY(scope.each(ledger_, [&](const RunScope::Member& member) {
    if (missing.empty()) return false;
    const std::string& id = member.entry.request_id;
    if (!spec_.selection.selects_id(id)) return true;
    if (!member.metadata.is_null()) {
      look_at(member.metadata);
    } else if (const auto metadata = metadata_of(id)) {
      look_at(*metadata);
    }
    return true;
  }));
  if (missing.empty() || !has_rows) return {};
  const std::vector<std::string_view> names(there.begin(), there.end());
  const std::string& column = missing.front()->column;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: no selected request has a column '{}'{}",
                          excerpt(missing.front()->where, 120), excerpt(column, 60),
                          names.empty() ? "; they have none" : suggest(column, names)));
}

Result<Assessment> Assessor::assess(std::string_view id, bool is_given_up, const Replies* replies,
                                    Round round) {
  Assessment assessment;
  TRY_ASSIGN(auto answered, load(id, is_given_up));
  if (!answered) {
    TRY_ASSIGN(assessment.kind, why_not_loaded(id));
    return assessment;
  }
  if (!spec_.selection.selects(answered->request)) return assessment;
  assessment.kind = Assessment::Kind::kEvaluated;
  const Json& metadata = answered->request.metadata;
  TRY_ASSIGN(auto before, log_.find(id, spec_.name, metadata_digest_of(metadata)));
  const bool is_of_this = before && before->spec_digest == spec_.digest &&
                          before->response_digest == answered->digest &&
                          before->is_of_metadata(metadata, answered->own_metadata);
  if (!is_of_this) before.reset();
  if (before && before->outcome != EvaluationOutcome::kUngraded && !looks_at_prices_) {
    assessment.evaluation = std::move(*before);
    assessment.is_reused = true;
    return assessment;
  }
  Evaluation& evaluation = assessment.evaluation;
  evaluation.spec_digest = spec_.digest;
  evaluation.response_digest = answered->digest;
  evaluation.metadata_digest = metadata_digest_of(metadata);
  evaluation.evaluated_at = wall_now();
  const Response& response = answered->response;
  describe_origin(answered->request, response.failure ? response.failure->details : response.data,
                  evaluation);
  evaluation.outcome = outcome_of(*answered, is_given_up);
  if (evaluation.outcome == EvaluationOutcome::kGraded) {
    TRY_ASSIGN(const Earlier earlier, earlier_grades(id, *answered));
    const Subject subject{std::move(answered->request), std::move(answered->response.data),
                          std::move(answered->turns), std::move(answered->calls)};
    const GraderChoice choice = choose_graders(spec_, subject.request.metadata);
    if (replies == nullptr) {
      assessment.questions = ask_all(subject, choice, earlier);
    } else if (round == Round::kFirst) {
      assessment.questions = ask_all_again(subject, choice, earlier, *replies);
    }
    if (!assessment.questions.empty()) {
      assessment.kind = Assessment::Kind::kAsks;
      return assessment;
    }
    grade(subject, choice, earlier, replies, evaluation);
  }
  evaluation.counts_as_zero = spec_.zeros.contains(evaluation.outcome);
  TRY_ASSIGN(const bool is_new, keep(id, before, evaluation));
  assessment.is_reused = !is_new && evaluation.outcome != EvaluationOutcome::kUngraded;
  return assessment;
}

}  // namespace filecall::client
